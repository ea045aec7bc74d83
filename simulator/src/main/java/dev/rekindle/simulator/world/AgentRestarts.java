package dev.rekindle.simulator.world;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.detect.restart.JournalEntry;
import dev.rekindle.detect.restart.JournalEntry.Mark;
import dev.rekindle.detect.restart.Order;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What follows for gangs from the restarts that an agent has written to its journal. */
final class AgentRestarts {
  private final World world;

  AgentRestarts(World world) {
    this.world = world;
  }

  private @Nullable OrderObject order(String uid) {
    for (OrderObject order : world.orders().all()) {
      if (order.meta().uid().equals(uid)) {
        return order;
      }
    }
    return null;
  }

  /** What the next container of a pod belongs to is decided before the one that is there dies. */
  void noted(JournalEntry note) {
    OrderObject order = order(note.orderUid());
    Gang gang = gang(note.podUid());
    if (order == null || gang == null) {
      return;
    }
    if (note.mark() == Mark.FREEZING) {
      world
          .pods()
          .all()
          .forEach(
              pod -> {
                if (pod.meta().uid().equals(note.podUid())) {
                  world.witness().freezes(order, pod);
                }
              });
    } else if (note.mark() == Mark.KILLING || note.mark() == Mark.KILLED) {
      gang.restarts(note.podUid(), order);
    }
  }

  private @Nullable Gang gang(String podUid) {
    for (PodObject pod : world.pods().all()) {
      if (pod.meta().uid().equals(podUid)) {
        return world.gangs().get(pod.job(), pod.meta().owner());
      }
    }
    return null;
  }

  /**
   * The agent has seen the containers that kubelets have started in place of those that it ended.
   *
   * @param notes its journal
   * @param seen orders, as it sees them
   */
  void adopt(Iterable<JournalEntry> notes, List<Order> seen) {
    for (JournalEntry note : notes) {
      if (note.mark() != Mark.KILLED) {
        continue;
      }
      Gang gang = gang(note.podUid());
      RankProcess now = gang == null ? null : gang.processes().find(note.podUid());
      if (gang == null || now == null || now.containerId().equals(note.container())) {
        continue;
      }
      OrderObject order = order(note.orderUid());
      if (order != null && restartsAll(order, seen)) {
        gang.adopt(now, order);
      }
    }
  }

  private static boolean restartsAll(OrderObject order, List<Order> all) {
    for (Order seen : all) {
      if (seen.uid().equals(order.meta().uid())) {
        return seen.instruction() == RestartInstruction.RESTART_ALL;
      }
    }
    return false;
  }
}
