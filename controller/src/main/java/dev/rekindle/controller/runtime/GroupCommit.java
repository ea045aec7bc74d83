package dev.rekindle.controller.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets those who want the same kind of write at the same time share one. Who comes while none is
 * under way carries out its own at once; who comes meanwhile waits, and one of those who wait
 * carries out the next for all of them.
 *
 * @param <Q> what is requested
 * @param <A> the answer
 */
public final class GroupCommit<Q, A> {
  /** Where one caller waits until it is woken. Woken before it waits, it does not wait. */
  public interface Seat {
    /** Waits. */
    void await();

    /** Lets it go on. */
    void wake();
  }

  private static final class Ticket<Q, A> {
    private final Q question;
    private final Seat seat;
    private boolean leads;
    private @Nullable A answer;
    private @Nullable RuntimeException failure;

    private Ticket(Q question, Seat seat) {
      this.question = question;
      this.seat = seat;
    }
  }

  private final Function<List<Q>, List<A>> write;
  private final Supplier<Seat> seats;
  private final int most;
  private final ReentrantLock lock = new ReentrantLock();
  private List<Ticket<Q, A>> waiting = new ArrayList<>();
  private boolean busy;

  /**
   * @param write answers many at once, in their order
   * @param seats where callers wait
   * @param most answered by one write
   */
  public GroupCommit(Function<List<Q>, List<A>> write, Supplier<Seat> seats, int most) {
    this.write = write;
    this.seats = seats;
    this.most = most;
  }

  /** A seat for a thread. */
  public static Seat threadSeat() {
    CountDownLatch woken = new CountDownLatch(1);
    return new Seat() {
      @Override
      public void await() {
        boolean interrupted = false;
        while (true) {
          try {
            woken.await();
            break;
          } catch (InterruptedException later) {
            interrupted = true;
          }
        }
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }

      @Override
      public void wake() {
        woken.countDown();
      }
    };
  }

  /**
   * Asks, and waits for the answer.
   *
   * @throws RuntimeException what the write threw that this was part of
   */
  public A ask(Q question) {
    Ticket<Q, A> mine = new Ticket<>(question, seats.get());
    if (mustWait(mine)) {
      mine.seat.await();
    }
    if (mine.leads) {
      lead(mine);
    }
    if (mine.failure != null) {
      throw mine.failure;
    }
    A answer = mine.answer;
    if (answer == null) {
      throw new IllegalStateException("a write has answered fewer than asked");
    }
    return answer;
  }

  private boolean mustWait(Ticket<Q, A> mine) {
    lock.lock();
    try {
      if (busy) {
        waiting.add(mine);
        return true;
      }
      busy = true;
      mine.leads = true;
      return false;
    } finally {
      lock.unlock();
    }
  }

  private void lead(Ticket<Q, A> mine) {
    List<Ticket<Q, A>> together = batch(mine);
    try {
      List<A> answers = write.apply(together.stream().map(ticket -> ticket.question).toList());
      for (int i = 0; i < together.size(); i++) {
        together.get(i).answer = answers.get(i);
      }
    } catch (RuntimeException failed) {
      together.forEach(ticket -> ticket.failure = failed);
    } finally {
      together.stream().filter(ticket -> ticket != mine).forEach(ticket -> ticket.seat.wake());
      handOn();
    }
  }

  private List<Ticket<Q, A>> batch(Ticket<Q, A> mine) {
    lock.lock();
    try {
      List<Ticket<Q, A>> together = new ArrayList<>();
      together.add(mine);
      int more = Math.min(most - 1, waiting.size());
      together.addAll(waiting.subList(0, more));
      waiting = new ArrayList<>(waiting.subList(more, waiting.size()));
      return together;
    } finally {
      lock.unlock();
    }
  }

  private void handOn() {
    lock.lock();
    try {
      if (waiting.isEmpty()) {
        busy = false;
        return;
      }
      Ticket<Q, A> next = waiting.removeFirst();
      next.leads = true;
      next.seat.wake();
    } finally {
      lock.unlock();
    }
  }
}
