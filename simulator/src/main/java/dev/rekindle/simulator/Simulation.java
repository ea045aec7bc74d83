package dev.rekindle.simulator;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.process.Fleet;
import dev.rekindle.simulator.process.Reconcilers;
import dev.rekindle.simulator.process.WriteObserver;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.SimEvent;
import dev.rekindle.simulator.world.TrainingView;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A cluster in memory with a running controller, on virtual time. The same setup makes the same
 * run. To be used by one thread at a time.
 */
public final class Simulation implements AutoCloseable {
  private final Loop loop = new Loop();
  private final World world;
  private final Fleet fleet;
  private final FaultInjector levers;

  private Simulation(Setup setup, Reconcilers.Factory controller, WriteObserver deeds) {
    SplittableRandom random = new SplittableRandom(setup.seed());
    world = new World(setup, loop, random.split());
    fleet = new Fleet(world, loop, setup, random.split(), controller, deeds);
    levers = new FaultInjector(world, fleet);
  }

  /** A cluster at {@link Loop#T0}, with nothing under way but what its setup brings. */
  public static Simulation of(Setup setup) {
    return of(setup, Reconcilers.REAL, new WriteObserver() {});
  }

  /** The same with another controller, whose every write is observed. */
  public static Simulation of(Setup setup, Reconcilers.Factory controller, WriteObserver deeds) {
    return onVirtualThread(() -> new Simulation(setup, controller, deeds));
  }

  /** Passes everything that happens from now on to the listener, in order. */
  public void listen(Consumer<SimEvent> listener) {
    world.listen(listener);
  }

  /** The present, on virtual time. */
  public Instant now() {
    return loop.instant();
  }

  /** Lets so much time pass. */
  public void runFor(Duration time) {
    var _ = runUntil(() -> false, time);
  }

  /**
   * Lets time pass until the condition holds; it is checked after every event.
   *
   * @return false when it did not hold within the limit, which has then passed
   */
  public boolean runUntil(BooleanSupplier done, Duration limit) {
    return onVirtualThread(
        () -> {
          long until = loop.micros() + limit.toNanos() / 1_000;
          while (!done.getAsBoolean()) {
            if (!loop.step(until)) {
              loop.moveTo(until);
              return done.getAsBoolean();
            }
          }
          return true;
        });
  }

  /** Does something then. */
  public void at(Instant when, Runnable lever) {
    loop.at(when, lever);
  }

  /** What can be done to it. */
  public FaultInjector levers() {
    return levers;
  }

  /** The cluster itself. */
  public World world() {
    return world;
  }

  /** The controller's processes. */
  public Fleet fleet() {
    return fleet;
  }

  /**
   * The job as it is.
   *
   * @throws NoSuchElementException when there is none
   */
  public JobView job(JobKey key) {
    return jobObject(key).view();
  }

  private JobObject jobObject(JobKey key) {
    return world
        .jobs()
        .find(key.toString())
        .orElseThrow(() -> new NoSuchElementException("no job " + key));
  }

  /** Pods of the job as they are. */
  public List<PodView> pods(JobKey key) {
    return world.podsOf(key).stream().map(PodObject::view).toList();
  }

  /** Nodes as they are. */
  public List<NodeView> nodes() {
    return world.nodes().list().stream().map(NodeObject::view).toList();
  }

  /** Recoveries of the job, oldest first. */
  public List<RecoveryView> recoveries(JobKey key) {
    return world.recoveries().list().stream()
        .filter(r -> r.view().job().equals(key))
        .sorted(Comparator.comparing((RecoveryObject r) -> r.meta().created()))
        .map(RecoveryObject::view)
        .toList();
  }

  /** How the training of the job stands. */
  public TrainingView training(JobKey key) {
    return world.gang(jobObject(key).meta().uid()).training().view();
  }

  /** Events run so far. */
  public long eventsRun() {
    return loop.eventsRun();
  }

  @Override
  public void close() {
    onVirtualThread(
        () -> {
          fleet.close();
          world.close();
          return true;
        });
  }

  /** Fibers hand over faster to a virtual thread than to a thread of the platform. */
  private static <T> T onVirtualThread(Supplier<T> action) {
    if (Thread.currentThread().isVirtual()) {
      return action.get();
    }
    try {
      return CompletableFuture.supplyAsync(action, Thread::startVirtualThread).join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      if (failed.getCause() instanceof Error cause) {
        throw cause;
      }
      throw failed;
    }
  }
}
