package dev.rekindle.simulator.process;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.fencing.FenceSlotAllocator;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.FencedFor;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.JobGuard;
import dev.rekindle.controller.runtime.GroupCommit;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultState;
import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.engine.Fiber;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.InspectorObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The controller's gateway over the API server in memory: the same calls in the same order as over
 * fabric8, with the same guards and preconditions.
 */
class SimGateway implements ClusterGateway {
  private final World world;
  private final Caller caller;
  private final FlatState state;
  private final WriteObserver deeds;
  private final InstantSource clock;
  private final FenceSlotAllocator ledger;
  private final SimOrders orders;

  /**
   * @param state told of what was stored
   * @param deeds told of what takes effect
   */
  SimGateway(
      World world, Caller caller, FlatState state, WriteObserver deeds, InstantSource clock) {
    this.world = world;
    this.caller = caller;
    this.state = state;
    this.deeds = deeds;
    this.clock = clock;
    this.orders = new SimOrders(world, caller, deeds);
    SteadyClock steady = Reconcilers.steady(clock);
    this.ledger =
        new FenceSlotAllocator(
            new SimFenceStore(world, caller, state), clock, steady, SimGateway::seat);
  }

  /** A seat for a fiber. */
  private static GroupCommit.Seat seat() {
    Fiber fiber = Fiber.current();
    AtomicBoolean woken = new AtomicBoolean();
    return new GroupCommit.Seat() {
      @Override
      public void await() {
        while (!woken.get()) {
          Fiber.park();
        }
      }

      @Override
      public void wake() {
        woken.set(true);
        fiber.wake();
      }
    };
  }

  private <T> T call(Supplier<T> effect) {
    try {
      return caller.call(effect);
    } catch (ApiError error) {
      throw translated(error);
    }
  }

  private void change(Runnable change) {
    try {
      caller.change(change);
    } catch (ApiError error) {
      throw translated(error);
    }
  }

  private static RuntimeException translated(ApiError error) {
    String text = Objects.requireNonNullElse(error.getMessage(), "");
    if (error.code() == ApiError.CONFLICT) {
      return new StaleException(text);
    }
    boolean refused = error.code() >= 400 && error.code() < 500 && error.code() != 429;
    return refused
        ? new RefusedException(error.code(), text)
        : new UnavailableException(error.code(), text, Duration.ZERO);
  }

  private <T> Optional<T> find(Supplier<T> effect) {
    try {
      return Optional.of(caller.call(effect));
    } catch (ApiError error) {
      if (error.code() == ApiError.NOT_FOUND) {
        return Optional.empty();
      }
      throw translated(error);
    }
  }

  @Override
  public RecoveryView open(RecoveryView draft) {
    RecoveryObject stored =
        call(
            () -> {
              String key = draft.namespace() + "/" + draft.name();
              Optional<RecoveryObject> there = world.recoveries().find(key);
              if (there.isPresent()) {
                return there.get();
              }
              world.namespaces().admit(draft.namespace());
              RecoveryObject created =
                  world
                      .recoveries()
                      .create(
                          new RecoveryObject(
                              Meta.draft(draft.namespace(), draft.name(), draft.spec().jobUid()),
                              draft.spec(),
                              null));
              deeds.opened(created);
              return created;
            });
    state.created(stored.view());
    return stored.view();
  }

  @Override
  public RecoveryView save(RecoveryView recovery) {
    String key = recovery.namespace() + "/" + recovery.name();
    RecoveryStatus next = recovery.status();
    if (next != null && next.phase() == RecoveryPhase.RECOVERED) {
      deeds.concludes(recovery, state.pods(recovery.job()));
    }
    RecoveryObject stored;
    try {
      stored =
          caller.call(
              () ->
                  world
                      .recoveries()
                      .update(
                          key,
                          Long.parseLong(recovery.resourceVersion()),
                          r -> {
                            deeds.saved(r, recovery.status());
                            return r.with(recovery.status());
                          }));
    } catch (ApiError error) {
      if (error.code() == ApiError.NOT_FOUND) {
        state.gone(recovery);
        throw new StaleException("recovery " + key + " is gone");
      }
      throw translated(error);
    }
    state.stored(stored.view());
    return stored.view();
  }

  @Override
  public void remove(RecoveryView recovery) {
    String key = recovery.namespace() + "/" + recovery.name();
    var _ =
        find(
            () -> {
              world.recoveries().delete(key, recovery.uid(), null);
              return key;
            });
    state.gone(recovery);
  }

  @Override
  public boolean cordon(String name, String by, String reason, FenceLimit limit) {
    AtomicBoolean cordoned = new AtomicBoolean();
    String decided =
        state
            .node(name)
            .map(NodeView::uid)
            .orElseThrow(() -> new StaleException("node " + name + " is not seen yet"));
    change(() -> cordoned.set(tryCordon(name, decided, by, limit)));
    return cordoned.get();
  }

  private boolean tryCordon(String name, String decided, String by, FenceLimit limit) {
    NodeObject node =
        find(() -> world.nodes().get(name))
            .orElseThrow(() -> new StaleException("node " + name + " no longer exists"));
    if (!decided.isEmpty() && !decided.equals(node.meta().uid())) {
      throw new StaleException("node " + name + " is another one of the name");
    }
    if (node.unschedulable()) {
      return false;
    }
    ledger.take(name, node.meta().uid(), by, limit);
    var _ =
        caller.call(
            () ->
                world
                    .nodes()
                    .update(
                        name,
                        node.meta().version(),
                        n -> {
                          deeds.cordoned(n, by);
                          return n.cordoned(true, by)
                              .withTroubles(troubles(n, by).format())
                              .withFencedFor(fencedFor(n, limit));
                        }));
    return true;
  }

  private String fencedFor(NodeObject node, FenceLimit limit) {
    return limit.quota().namespaces().isEmpty()
        ? node.fencedFor()
        : FencedFor.parse(node.fencedFor())
            .and(clock.instant(), limit.quota().namespaces())
            .format();
  }

  private NodeIncidentHistory troubles(NodeObject node, String by) {
    return NodeIncidentHistory.parse(node.troubles()).and(clock.instant(), by);
  }

  @Override
  public void recordIncident(String name, String by) {
    change(
        () ->
            find(() -> world.nodes().get(name))
                .filter(
                    node -> !troubles(node, by).equals(NodeIncidentHistory.parse(node.troubles())))
                .ifPresent(
                    node -> {
                      var _ =
                          caller.call(
                              () ->
                                  world
                                      .nodes()
                                      .update(
                                          name,
                                          node.meta().version(),
                                          n -> n.withTroubles(troubles(n, by).format())));
                    }));
  }

  @Override
  public void markLemon(String name, boolean lemon) {
    var _ = find(() -> world.nodes().patch(name, n -> n.withLemon(lemon)));
  }

  @Override
  public void release(String name) {
    try {
      ledger.release(
          name,
          () -> {
            AtomicBoolean lifted = new AtomicBoolean();
            caller.change(() -> lifted.set(tryRelease(name)));
            return lifted.get();
          });
    } catch (ApiError error) {
      throw translated(error);
    }
  }

  /** Lifts the cordon without a look at whose it is: what a broken controller would do. */
  void releaseWhatever(String name) {
    var _ = caller.call(() -> world.nodes().patch(name, this::releasedNow));
  }

  private NodeObject releasedNow(NodeObject node) {
    deeds.released(node);
    return node.cordoned(false, "").withApproved("");
  }

  private boolean tryRelease(String name) {
    Optional<NodeObject> node = find(() -> world.nodes().get(name));
    if (node.isEmpty() || node.get().fencedBy().isEmpty()) {
      return false;
    }
    var _ =
        caller.call(
            () -> world.nodes().update(name, node.get().meta().version(), this::releasedNow));
    return true;
  }

  private JobObject job(JobKey key, String uid) {
    JobObject job =
        find(() -> world.jobs().get(key.toString()))
            .orElseThrow(() -> new StaleException("job " + key + " is gone"));
    if (!job.meta().uid().equals(uid)) {
      throw new StaleException("job " + key + " is another one of the name");
    }
    return job;
  }

  @Override
  public void suspend(JobKey key, String uid, String recovery, String attempt) {
    change(
        () -> {
          JobObject job = job(key, uid);
          if (JobGuard.suspends(job.view(), recovery, attempt)) {
            write(job, "suspend", recovery, j -> j.withSuspend(true, recovery));
          }
        });
  }

  @Override
  public void revive(JobKey key, String uid, String recovery) {
    change(
        () -> {
          JobObject job = job(key, uid);
          if (JobGuard.revives(job.view(), recovery)) {
            write(job, "revive", recovery, j -> j.with(j.status().revived()));
          }
        });
  }

  @Override
  public void resume(JobKey key, String uid, ResumeOrder order) {
    change(
        () -> {
          JobObject job = job(key, uid);
          if (JobGuard.resumes(job.view(), order)) {
            write(
                job,
                "resume",
                order.recovery(),
                j -> j.withSuspend(false, "").with(template(j, order)));
          }
        });
  }

  private static JobObject.Template template(JobObject job, ResumeOrder order) {
    boolean told = job.setup().told() && order.resumeFrom() != null;
    Long step = order.resumeStep();
    return new JobObject.Template(
        order.attempt(),
        told ? String.valueOf(order.resumeFrom()) : "",
        told && step != null ? step : -1,
        order.excludedHostnames(),
        order.preferredTopology(),
        job.meta().uid());
  }

  private void write(JobObject job, String verb, String recovery, UnaryOperator<JobObject> change) {
    var _ =
        caller.call(
            () ->
                world
                    .jobs()
                    .update(
                        job.meta().key(),
                        job.meta().version(),
                        j -> {
                          JobObject next = change.apply(j.withOwnMarks());
                          deeds.wrote(j, next, verb, recovery);
                          world.tell(Kind.JOB, j.key().toString(), verb + " by " + recovery);
                          return next;
                        }));
  }

  @Override
  public void clearResume(JobKey key, String uid) {
    change(
        () -> {
          JobObject job = job(key, uid);
          if (job.template().resumeStep() >= 0) {
            var _ =
                caller.call(
                    () ->
                        world
                            .jobs()
                            .update(
                                job.meta().key(),
                                job.meta().version(),
                                j -> j.with(j.template().telling("", -1))));
          }
        });
  }

  @Override
  public void injectResume(
      JobKey key, String pod, String uid, String attempt, String path, @Nullable Long step) {
    var _ =
        find(
            () -> {
              String name = key.namespace() + "/" + pod;
              if (world.pods().get(name).meta().uid().equals(uid)) {
                world.tell(
                    Kind.POD, pod, path.isEmpty() ? "is told no checkpoint" : "is told " + path);
                world.pods().patch(name, p -> p.telling(path, step == null ? -1 : step));
              }
              return name;
            });
  }

  @Override
  public void deletePod(JobKey key, String pod, String uid, Duration grace) {
    try {
      var _ =
          caller.call(
              () -> {
                String name = key.namespace() + "/" + pod;
                PodObject there = world.pods().get(name);
                if (there.meta().uid().equals(uid)) {
                  deeds.deleted(there, grace);
                }
                world.pods().delete(name, uid, grace);
                return name;
              });
    } catch (ApiError error) {
      // Gone, or another pod has the name.
      if (error.code() != ApiError.NOT_FOUND && error.code() != ApiError.CONFLICT) {
        throw translated(error);
      }
    }
  }

  @Override
  public void order(RecoveryView recovery, String name, RestartOrderSpec spec) {
    change(() -> orders.give(recovery, name, spec));
  }

  @Override
  public void withdraw(JobKey job, String name) {
    String key = job.namespace() + "/" + name;
    var _ =
        find(
            () -> {
              OrderObject order = world.orders().get(key);
              deeds.withdrew(order);
              world.tell(Kind.JOB, job.toString(), "order " + name + " withdrawn");
              world.orders().delete(key, "", null);
              return key;
            });
  }

  @Override
  public boolean exists(JobKey job, String uid) {
    return call(
        () ->
            world.jobs().find(job.toString()).filter(j -> j.meta().uid().equals(uid)).isPresent());
  }

  @Override
  public List<PodView> livePods(JobKey job) {
    return call(() -> world.podsOf(job).stream().map(PodObject::view).toList());
  }

  @Override
  public Optional<Inspection.Unable> startInspector(JobKey key, String uid, String recovery) {
    JobObject job = job(key, uid);
    Meta draft = Meta.draft(key.namespace(), InspectorJob.name(recovery), job.meta().uid());
    return call(
        () -> {
          if (world.inspectors().find(draft.key()).isEmpty()) {
            world.namespaces().admit(key.namespace());
            world.inspectors().create(new InspectorObject(draft, key, null));
          }
          return Optional.empty();
        });
  }

  @Override
  public Inspection inspect(JobKey job, String recovery) {
    return call(() -> world.inspection(job.namespace() + "/" + InspectorJob.name(recovery)));
  }

  @Override
  public void stopInspector(JobKey job, String recovery) {
    String key = job.namespace() + "/" + InspectorJob.name(recovery);
    var _ =
        find(
            () -> {
              world.inspectors().delete(key, "", null);
              return key;
            });
  }

  @Override
  public void raise(FaultObservation observation) {
    change(
        () -> {
          FaultObject stored =
              find(() -> world.faults().get(observation.name()))
                  .orElseGet(() -> caller.call(() -> created(observation)));
          write(stored, stored.state().found(observation));
        });
  }

  /** Without the label by which agents find what they may clear. */
  private FaultObject created(FaultObservation observation) {
    return world
        .faults()
        .create(
            FaultObject.of(
                Meta.draft("", observation.name(), ""),
                new FaultState(observation.fault(), null),
                false));
  }

  @Override
  public void score(String policy, UnaryOperator<Scorecard> change) {
    change(
        () -> {
          Optional<PolicyObject> found = find(() -> world.policies().get(policy));
          if (found.isEmpty()) {
            return;
          }
          PolicyObject before = found.get();
          Scorecard after = change.apply(before.card());
          if (after.equals(before.card())) {
            return;
          }
          PolicyObject stored =
              caller.call(
                  () ->
                      world
                          .policies()
                          .update(
                              policy,
                              before.meta().version(),
                              p -> new PolicyObject(p.meta(), p.policy(), after)));
          state
              .scorecardFeed()
              .present(policy, Long.toString(stored.meta().version()), stored.card());
        });
  }

  @Override
  public void clear(String fault, String by) {
    change(
        () ->
            find(() -> world.faults().get(fault))
                .filter(f -> f.view().detector().equals(by))
                .ifPresent(f -> write(f, f.state().cleared(by, clock.instant()))));
  }

  @Override
  public void forget(String fault, String nodeUid) {
    change(
        () ->
            find(() -> world.faults().get(fault))
                .filter(f -> f.view().nodeUid().equals(nodeUid))
                .ifPresent(
                    f -> {
                      var _ =
                          caller.call(
                              () -> {
                                // Whoever has written of it since has seen it on another Node.
                                var _ =
                                    world.faults().update(fault, f.meta().version(), same -> same);
                                world.faults().delete(fault, f.meta().uid(), null);
                                return f;
                              });
                    }));
  }

  /** Makes only those calls that change something. */
  private void write(FaultObject before, FaultState next) {
    FaultObject stored = before;
    if (!next.spec().equals(before.state().spec())) {
      stored = written(stored, f -> f.with(next.spec()));
    }
    if (!Objects.equals(next.status(), before.state().status())) {
      var _ = written(stored, f -> f.with(next.status()));
    }
  }

  private FaultObject written(FaultObject stored, UnaryOperator<FaultObject> change) {
    Meta meta = stored.meta();
    return caller.call(() -> world.faults().update(meta.key(), meta.version(), change));
  }

  /** Nobody keeps leases of nodes here. */
  @Override
  public Optional<Instant> lease(String node) {
    return Optional.empty();
  }

  @Override
  public void recordEvent(ClusterEvent said) {
    try {
      var _ =
          caller.call(
              () -> {
                if (world.heard()) {
                  world.tell(
                      Kind.EVENT,
                      said.job() == null ? said.node() : said.job().toString(),
                      said.reason().word() + ": " + said.note());
                }
                deeds.announced(said);
                return said;
              });
    } catch (ApiError unheard) {
      // Best effort.
    }
  }
}
