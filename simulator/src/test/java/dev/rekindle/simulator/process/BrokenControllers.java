package dev.rekindle.simulator.process;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.detect.fault.FaultObservation;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Controllers that are broken on purpose, each in one way, to see that the checks bite. */
public final class BrokenControllers {
  private BrokenControllers() {}

  private static Reconcilers.Factory with(
      BiFunction<ClusterState, ClusterGateway, Distortion> distortion) {
    return (state, gateway, clock, effects) -> {
      Distortion bent = distortion.apply(state, gateway);
      return Reconcilers.REAL.make(bent, bent, clock, effects);
    };
  }

  /** 1: resumes as soon as it has suspended, without waiting for the pods to be gone. */
  public static Reconcilers.Factory withoutDrain() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<PodView> pods(JobKey key) {
                boolean drains = state.job(key).filter(j -> j.suspended()).isPresent();
                return drains ? List.of() : super.pods(key);
              }

              @Override
              public List<PodView> livePods(JobKey key) {
                return List.of();
              }
            });
  }

  /** 2: gives up in the middle, and takes what it has suspended for its user's. */
  public static Reconcilers.Factory givingUpWhileSuspended() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public RecoveryView save(RecoveryView recovery) {
                RecoveryStatus s = recovery.status();
                return super.save(
                    s != null && s.phase() == RecoveryPhase.PLANNING
                        ? recovery.with(inPhase(s, RecoveryPhase.CANCELLED))
                        : recovery);
              }

              @Override
              public Optional<JobView> job(JobKey key) {
                boolean open = state.recoveries(key).stream().anyMatch(RecoveryView::open);
                return super.job(key).map(j -> open ? j : j.withSuspendedBy(""));
              }
            });
  }

  /** 3: takes every job for one that opted in. */
  public static Reconcilers.Factory deafToOptIn() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<JobView> job(JobKey key) {
                return super.job(key).map(j -> j.withOptIn(new OptIn.Yes(Mode.AUTO)));
              }
            });
  }

  /** 4: knows no limit. */
  public static Reconcilers.Factory withoutBreaker() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<Policy> policy(String name) {
                return super.policy(name)
                    .map(p -> p.with(b -> b.maxFencedNodes(1_000).maxFencedPercent(null)));
              }
            });
  }

  /** 4: counts the fences that it sees, and takes no place among them. */
  public static Reconcilers.Factory countingFencesInItsCache() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public boolean cordon(String node, String by, String reason, FenceLimit limit) {
                return super.cordon(node, by, reason, FenceLimit.of(1_000));
              }
            });
  }

  /** 4: knows the limit in all, and none of a pool. */
  public static Reconcilers.Factory blindToPools() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public boolean cordon(String node, String by, String reason, FenceLimit limit) {
                FenceLimit blind = new FenceLimit(limit.inAll(), limit.named(), null);
                return super.cordon(node, by, reason, blind);
              }

              @Override
              public Optional<Policy> policy(String name) {
                return super.policy(name).map(p -> p.withPoolLabel(""));
              }
            });
  }

  /** 5: takes a program's own mistake for the hardware's, deaf to what happened elsewhere. */
  public static Reconcilers.Factory blamingTheHardwareForPrograms() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<FaultView> faultsOfCode(String code) {
                return List.of();
              }
            });
  }

  /** 3: fences whatever node is faulty, whoever runs there. */
  public static Reconcilers.Factory fencingForEverybody() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<Policy> policy(String name) {
                return super.policy(name).map(p -> p.withFenceScope(Policy.FenceScope.GPU_NODES));
              }
            });
  }

  /** 13: takes silence for a cure. */
  public static Reconcilers.Factory forgettingOldFaults() {
    return (state, gateway, clock, effects) -> {
      Distortion bent =
          new Distortion(state, gateway) {
            @Override
            public List<FaultView> faults(String node) {
              return super.faults(node).stream()
                  .filter(
                      f ->
                          f.lastSeen() == null
                              || f.lastSeen().plusSeconds(70).isAfter(clock.instant()))
                  .toList();
            }
          };
      Reconcilers real = Reconcilers.REAL.make(bent, bent, clock, effects);
      // Silence is no event: it has to look again and again.
      return new Reconcilers(
          real.jobs(),
          node -> {
            var _ = real.nodes().reconcile(node);
            return Optional.of(Duration.ofSeconds(20));
          });
    };
  }

  /** 13: takes any reboot for a cure, also of what is to be replaced. */
  public static Reconcilers.Factory believingEveryReboot() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<FaultView> faults(String node) {
                return super.faults(node).stream().map(BrokenControllers::rebootable).toList();
              }
            });
  }

  private static FaultView rebootable(FaultView f) {
    return f.with(b -> b.action("reboot_node").incidents(List.of()));
  }

  /** 5: fences for what an application can cause. */
  public static Reconcilers.Factory fencingOnAnyFault() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<FaultView> faults(String node) {
                return super.faults(node).stream().map(BrokenControllers::fencing).toList();
              }
            });
  }

  /** 6: lifts every cordon, whoever placed it. */
  public static Reconcilers.Factory releasingEverything() {
    return (state, gateway, clock, effects) -> {
      Reconcilers real = Reconcilers.REAL.make(state, gateway, clock, effects);
      return new Reconcilers(
          real.jobs(),
          name -> {
            if (state.node(name).filter(NodeView::unschedulable).isPresent()) {
              ((SimGateway) gateway).releaseWhatever(name);
            }
            return Optional.empty();
          });
    };
  }

  /** 7: knows no budget. */
  public static Reconcilers.Factory withoutBudget() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<Policy> policy(String name) {
                return super.policy(name).map(p -> p.withMaxRestarts(1_000));
              }
            });
  }

  /** 7: forgets with each process what the processes before it have spent. */
  public static Reconcilers.Factory forgettingItsBudget() {
    return (state, gateway, clock, effects) -> {
      InstantSource since = InstantSource.fixed(clock.instant());
      Distortion bent =
          new Distortion(state, gateway) {
            @Override
            public List<RecoveryView> recoveries(JobKey key) {
              return super.recoveries(key).stream()
                  .filter(r -> r.open() || began(r).isAfter(since.instant()))
                  .toList();
            }
          };
      return Reconcilers.REAL.make(bent, bent, clock, effects);
    };
  }

  /** 8: takes every checkpoint for whole. */
  public static Reconcilers.Factory trustingEveryCheckpoint() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Inspection inspect(JobKey job, String recovery) {
                return super.inspect(job, recovery) instanceof Inspection.Report report
                    ? new Inspection.Report(
                        report.scan(),
                        report.checkpoints().stream().map(BrokenControllers::valid).toList(),
                        report.error())
                    : super.inspect(job, recovery);
              }
            });
  }

  /** 8: passes over the newest checkpoint without a reason. */
  public static Reconcilers.Factory passingOverTheNewestCheckpoint() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Inspection inspect(JobKey job, String recovery) {
                Inspection now = super.inspect(job, recovery);
                return now instanceof Inspection.Report(long scan, var found, String error)
                        && found.size() > 1
                    ? new Inspection.Report(scan, found.subList(1, found.size()), error)
                    : now;
              }
            });
  }

  /** 9: takes the last recovery up again when it is over. */
  public static Reconcilers.Factory takingUpWhatIsOver() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RecoveryView> recoveries(JobKey key) {
                return super.recoveries(key).stream().map(BrokenControllers::goingOn).toList();
              }
            });
  }

  /** 10: never gets to the end of a recovery. */
  public static Reconcilers.Factory neverEnding() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public RecoveryView save(RecoveryView recovery) {
                RecoveryStatus s = recovery.status();
                if (s != null && s.phase() != null && s.phase().isTerminal()) {
                  throw new StaleException("not yet");
                }
                return super.save(recovery);
              }
            });
  }

  /** 11: goes on as soon as it has asked for the freeze, without waiting for the agents. */
  public static Reconcilers.Factory withoutFreeze() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RestartView> restarts(JobKey key) {
                List<RestartView> told = super.restarts(key);
                return Stream.concat(
                        told.stream(),
                        state.orders(key).stream()
                            .flatMap(
                                order ->
                                    state.pods(key).stream()
                                        .filter(pod -> told.stream().noneMatch(r -> on(r, pod)))
                                        .map(pod -> frozen(order, pod))))
                    .toList();
              }
            });
  }

  /** 11: takes the old leader for dead, and so restarts rank 0 with all others. */
  public static Reconcilers.Factory restartingTheLeaderWithTheOthers() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void order(RecoveryView recovery, String name, RestartOrderSpec spec) {
                super.order(
                    recovery,
                    name,
                    spec.instruction() == RestartInstruction.RESTART_LEADER
                        ? instructed(spec, RestartInstruction.RESTART_ALL)
                        : spec);
              }
            });
  }

  /** 11: takes the word of any agent for the pods of any node. */
  public static Reconcilers.Factory believingEveryAgent() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RestartView> restarts(JobKey key) {
                Map<String, String> nodes =
                    state.pods(key).stream()
                        .collect(Collectors.toMap(PodView::uid, PodView::node, (one, _) -> one));
                return super.restarts(key).stream().flatMap(r -> believed(r, nodes)).toList();
              }
            });
  }

  private static Stream<RestartView> believed(RestartView report, Map<String, String> nodes) {
    RestartReportSpec spec = report.spec();
    Map<String, List<PodRestart>> said =
        spec.pods().stream()
            .collect(Collectors.groupingBy(p -> nodes.getOrDefault(p.podUid(), spec.node())));
    return said.isEmpty()
        ? Stream.of(report)
        : said.entrySet().stream()
            .map(
                e ->
                    new RestartView(
                        report.namespace(),
                        report.name(),
                        new RestartReportSpec(
                            spec.order(),
                            spec.orderUid(),
                            e.getKey(),
                            spec.job(),
                            spec.done(),
                            spec.problem(),
                            e.getValue(),
                            spec.time())));
  }

  /** 3: takes a policy that does not exist for the one of the name default. */
  public static Reconcilers.Factory takingAnyPolicyForTheDefault() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<Policy> policy(String name) {
                return super.policy(name).or(() -> super.policy("default"));
              }
            });
  }

  /** 11: pins what there is when the recovery begins, while the gang may still write. */
  public static Reconcilers.Factory pinningBeforeTheFreeze() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public RecoveryView save(RecoveryView recovery) {
                RecoveryStatus s = recovery.status();
                RecoveryStatus.Plan plan = s == null ? null : s.plan();
                return super.save(
                    s != null
                            && plan != null
                            && plan.restart().equals("InPlace")
                            && s.phase() == RecoveryPhase.DRAINING
                        ? recovery.with(pinned(s, plan))
                        : recovery);
              }
            });
  }

  /** 11: deletes the pods on faulty nodes while their peers compute. */
  public static Reconcilers.Factory deletingBeforeTheFreeze() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void order(RecoveryView recovery, String name, RestartOrderSpec spec) {
                if (spec.instruction() == RestartInstruction.FREEZE) {
                  JobKey job = new JobKey(recovery.namespace(), spec.job());
                  pods(job).stream()
                      .filter(pod -> faults(pod.node()).stream().anyMatch(FaultView::fences))
                      .forEach(pod -> deletePod(job, pod.name(), pod.uid(), Duration.ofSeconds(1)));
                }
                super.order(recovery, name, spec);
              }
            });
  }

  /** 12: never takes back what it told the agents. */
  public static Reconcilers.Factory forgettingToWithdraw() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void withdraw(JobKey job, String name) {}
            });
  }

  private static boolean on(RestartView report, PodView pod) {
    return report.spec().pods().stream().anyMatch(p -> p.podUid().equals(pod.uid()));
  }

  private static RestartView frozen(OrderView order, PodView pod) {
    return new RestartView(
        order.namespace(),
        order.name() + "." + pod.name(),
        new RestartReportSpec(
            order.name(),
            order.uid(),
            pod.node().isEmpty() ? "nowhere" : pod.node(),
            order.spec().job(),
            RestartInstruction.FREEZE,
            "",
            List.of(
                new PodRestart(
                    pod.name(), pod.uid(), "container", pod.restarts(), "", State.FROZEN)),
            order.created()));
  }

  /** 14: does at once what it is only to observe, or to have approved first. */
  public static Reconcilers.Factory deafToModes() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<Policy> policy(String name) {
                return super.policy(name).map(p -> p.withMode(Mode.AUTO));
              }
            });
  }

  /** 14: takes a fence for approved, whatever a person has approved. */
  public static Reconcilers.Factory approvingByItself() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<NodeView> node(String name) {
                return super.node(name).map(n -> approved(n, super.faults(name)));
              }
            });
  }

  private static NodeView approved(NodeView n, List<FaultView> faults) {
    return n.withApprovedFault(faults.isEmpty() ? "" : faults.getFirst().name());
  }

  /** 15: lifts the fence of a lemon as any other. */
  public static Reconcilers.Factory forgivingLemons() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<Policy> policy(String name) {
                return super.policy(name).map(p -> p.withFenceLemons(false));
              }
            });
  }

  /** 16: knows of its scores only what it has counted itself. */
  public static Reconcilers.Factory forgettingItsScores() {
    return (state, gateway, clock, effects) -> {
      AtomicReference<Scorecard> own = new AtomicReference<>(Scorecard.NONE);
      Distortion bent =
          new Distortion(state, gateway) {
            @Override
            public Scorecard scorecard(String policy) {
              return own.get();
            }

            @Override
            public void score(String policy, UnaryOperator<Scorecard> change) {
              own.updateAndGet(change);
              super.score(policy, _ -> own.get());
            }
          };
      return Reconcilers.REAL.make(bent, bent, clock, effects);
    };
  }

  private static RestartOrderSpec instructed(RestartOrderSpec spec, RestartInstruction what) {
    return new RestartOrderSpec(
        spec.jobRef(), spec.recovery(), what, spec.leaderUid(), spec.until());
  }

  private static RecoveryStatus pinned(RecoveryStatus s, RecoveryStatus.Plan p) {
    RecoveryStatus.Plan plan =
        p.withCheckpoint(
            new RecoveryStatus.PinnedCheckpoint("Unknown", "", null, "", "as it was found"));
    return s.with(b -> b.heldFrom(null).plan(plan));
  }

  private static Instant began(RecoveryView recovery) {
    Instant at = recovery.spec().detectedAt();
    return at == null ? Instant.MIN : at;
  }

  private static RecoveryView goingOn(RecoveryView recovery) {
    RecoveryStatus s = recovery.status();
    return s != null && s.phase() == RecoveryPhase.RECOVERED
        ? recovery.with(inPhase(s, RecoveryPhase.DRAINING))
        : recovery;
  }

  private static Inspection.Checkpoint valid(Inspection.Checkpoint c) {
    return new Inspection.Checkpoint(
        c.path(), c.step(), c.bytes(), c.modified(), "valid", c.level(), "");
  }

  private static FaultView fencing(FaultView f) {
    return f.withFence(FenceGuidance.ALWAYS);
  }

  private static RecoveryStatus inPhase(RecoveryStatus s, RecoveryPhase phase) {
    return s.with(b -> b.phase(phase).heldFrom(null));
  }

  /** 17: deletes pods of jobs that it has not suspended. */
  public static Reconcilers.Factory deletingWithoutSuspending() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void suspend(JobKey job, String uid, String recovery, String attempt) {
                // Left out.
              }
            });
  }

  /** 18: suspends another job of the namespace. */
  public static Reconcilers.Factory suspendingTheNeighbour() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void suspend(JobKey job, String uid, String recovery, String attempt) {
                JobKey other =
                    new JobKey(job.namespace(), job.name().equals("job-0") ? "job-1" : "job-0");
                state
                    .job(other)
                    .ifPresent(there -> super.suspend(other, there.uid(), recovery, attempt));
              }
            });
  }

  /** 19: asks again and again, without a rest. */
  public static Reconcilers.Factory neverResting() {
    return (state, gateway, clock, effects) -> {
      Reconcilers real = Reconcilers.REAL.make(state, gateway, clock, effects);
      return new Reconcilers(
          key -> {
            var _ = gateway.livePods(key);
            var _ = real.jobs().reconcile(key);
            return Optional.of(Duration.ofMillis(20));
          },
          real.nodes());
    };
  }

  /** 20: leaves a heap of objects behind. */
  public static Reconcilers.Factory neverTidying() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public RecoveryView save(RecoveryView recovery) {
                RecoveryView stored = super.save(recovery);
                for (int i = 0; i < 70 && !stored.open(); i++) {
                  var _ =
                      super.open(
                          new RecoveryView(
                              stored.namespace(),
                              stored.name() + "-copy-" + i,
                              "",
                              "",
                              stored.spec(),
                              null));
                }
                return stored;
              }
            });
  }

  /** 21: sees no node that is free. */
  public static Reconcilers.Factory blindToRoom() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<NodeView> nodes() {
                return super.nodes().stream().map(n -> n.withGpus(0)).toList();
              }
            });
  }

  /** 22: fences nobody. */
  public static Reconcilers.Factory fencingNobody() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public boolean cordon(String node, String by, String reason, FenceLimit limit) {
                return false;
              }
            });
  }

  /** 23: takes what an old container reports for a word of the new one. */
  public static Reconcilers.Factory believingOldContainers() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RankView> ranks(JobKey job) {
                return super.ranks(job).stream()
                    .map(r -> r.withRestartCount(r.restartCount() + 1))
                    .toList();
              }
            });
  }

  /** 17: takes each suspension for seen by the operator. */
  public static Reconcilers.Factory takingSuspensionsForSeen() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<JobView> job(JobKey key) {
                return super.job(key).map(j -> j.withSuspensionSeen(true));
              }
            });
  }

  /** 11: gives agents 90 s less than the phases of a restart in place may take. */
  public static Reconcilers.Factory hurryingItsAgents() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void order(RecoveryView recovery, String name, RestartOrderSpec spec) {
                super.order(
                    recovery,
                    name,
                    new RestartOrderSpec(
                        spec.jobRef(),
                        spec.recovery(),
                        spec.instruction(),
                        spec.leaderUid(),
                        Objects.requireNonNull(spec.until()).minusSeconds(90)));
              }
            });
  }

  /** 23: takes every pod for a Ready one. */
  public static Reconcilers.Factory takingEveryPodForReady() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<PodView> pods(JobKey key) {
                return super.pods(key).stream().map(p -> p.withReady(true)).toList();
              }
            });
  }

  /** 24: takes each report for a step. */
  public static Reconcilers.Factory takingReportsForSteps() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RankView> ranks(JobKey job) {
                return super.ranks(job).stream()
                    .map(r -> r.withLastStepTime(r.observedTime()))
                    .toList();
              }
            });
  }

  /** 25: knows no limit of restarts. */
  public static Reconcilers.Factory deafToBackoffLimits() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<JobView> job(JobKey key) {
                return super.job(key).map(j -> j.withBackoffLimit(null));
              }
            });
  }

  /** 13: takes a node for Ready as soon as it was started anew. */
  public static Reconcilers.Factory takingEveryNodeForReady() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<NodeView> node(String name) {
                return super.node(name).map(n -> n.withReadiness(NodeView.Readiness.READY));
              }
            });
  }

  /** 26: looks twice before its first recovery of a job, and then sees nothing of the job. */
  public static Reconcilers.Factory blindToItsFirstLook() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              private boolean unbegun(JobKey key) {
                return state.recoveries(key).stream().anyMatch(r -> r.open() && r.status() == null);
              }

              @Override
              public RecoveryView open(RecoveryView draft) {
                boolean first = state.recoveries(draft.job()).isEmpty();
                RecoveryView created = super.open(draft);
                if (first) {
                  throw new StaleException("look again");
                }
                return created;
              }

              @Override
              public Optional<JobView> job(JobKey key) {
                return unbegun(key) ? Optional.empty() : super.job(key);
              }
            });
  }

  /** 5: takes the faults of every Node that ever had the name for those of the present one. */
  public static Reconcilers.Factory takingFormerNodesForPresentOnes() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<FaultView> faults(String node) {
                return super.faults(node).stream().map(f -> f.withNodeUid("")).toList();
              }
            });
  }

  /** 27: says of what it has read from a condition that the kernel has logged it. */
  public static Reconcilers.Factory quotingAKernelThatSaidNothing() {
    return with(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void raise(FaultObservation observation) {
                NodeFaultSpec read = observation.fault();
                super.raise(
                    new FaultObservation(
                        new NodeFaultSpec(
                            read.node(),
                            read.componentType(),
                            read.componentId(),
                            read.code(),
                            "kmsg",
                            read.fence(),
                            read.action(),
                            read.bootId(),
                            read.firstSeen(),
                            read.evidence()),
                        observation.sequence(),
                        observation.time(),
                        observation.unit(),
                        observation.victim()));
              }
            });
  }
}
