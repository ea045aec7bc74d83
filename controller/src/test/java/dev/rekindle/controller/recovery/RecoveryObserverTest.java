package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.controller.runtime.ParallelExecutor;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.detect.SteadyClock;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a recovery is decided from. */
class RecoveryObserverTest {
  private static final List<PodView> GANG = gang("");

  private final RefusingCluster cluster = new RefusingCluster(job());
  private final JobKey key = cluster.job().key();
  private final Metrics metrics = new Metrics(new PrometheusRegistry());
  private final InspectorSession inspectors = new InspectorSession(cluster);
  private final JobFacts facts = new JobFacts(cluster.state, () -> cluster.now);
  private final RecoveryObserver observer =
      new RecoveryObserver(
          cluster.state,
          cluster,
          facts,
          new Effects(cluster, metrics, () -> cluster.now, ParallelExecutor.inOrder(), inspectors),
          inspectors,
          metrics,
          () -> cluster.now,
          SteadyClock.over(() -> cluster.now));
  private int version = 1_000;

  private RecoverySnapshot observe(RecoveryPhase phase) {
    Cause cause = new Cause("XID-79", "", List.of(), List.of(), List.of(), List.of(), null);
    Plan plan = new Plan(RestartWay.REBUILD, "", List.of(), List.of(), Map.of(), null);
    RecoveryStatus status =
        new RecoveryStatus(phase, T0, 1, null, cause, plan, null, List.of(), List.of());
    RecoveryView recovery = Given.recovery("demo-r1", T0, status);
    return observer.observe(key, recovery, facts.jobOf(recovery));
  }

  private String next() {
    return Integer.toString(++version);
  }

  private static String key(PodView pod) {
    return pod.job().namespace() + "/" + pod.name();
  }

  private void report(PodView pod, long step) {
    cluster
        .state
        .rankFeed()
        .present(key(pod), next(), Given.rank(pod, step, cluster.now, cluster.now));
  }

  @Test
  void shouldRememberTheNewestStepThatWasSeenWhileTheGangDrains() {
    assertThat(observe(RecoveryPhase.DRAINING).reached()).isEqualTo(42);

    report(GANG.get(1), 60);
    assertThat(observe(RecoveryPhase.DRAINING).reached()).isEqualTo(60);

    for (PodView pod : GANG) {
      report(pod, 50);
    }
    assertThat(observe(RecoveryPhase.DRAINING).reached()).isEqualTo(60);

    for (PodView pod : GANG) {
      cluster.state.podFeed().gone(key(pod), next());
    }
    assertThat(observe(RecoveryPhase.DRAINING).reached()).isEqualTo(60);
  }

  /** A recovery that waits for a place in the breaker, while the gang trains on (seed 57). */
  @Test
  void shouldRememberTheNewestStepThatWasSeenBeforeTheGangWasStopped() {
    report(GANG.get(1), 60);
    assertThat(observe(RecoveryPhase.FENCING).reached()).isEqualTo(60);

    for (PodView pod : GANG) {
      cluster.state.podFeed().gone(key(pod), next());
    }
    assertThat(observe(RecoveryPhase.DRAINING).reached()).isEqualTo(60);
  }

  @Test
  void shouldNotTakeTheStepOfAnotherRecoveryForTheOneReached() {
    report(GANG.get(1), 60);
    assertThat(observe(RecoveryPhase.DRAINING).reached()).isEqualTo(60);

    observer.forget(key);
    for (PodView pod : GANG) {
      report(pod, 50);
    }

    assertThat(observe(RecoveryPhase.DRAINING).reached()).isEqualTo(50);
  }

  @Test
  void shouldReadTheVolumesOfTheJobWhereItsNodesAreChosen() {
    JobView claims =
        cluster
            .job()
            .withReplicas(
                cluster.job().replicas().stream()
                    .map(r -> r.withNeeds(r.needs().withClaims(List.of("ckpt"))))
                    .toList());
    cluster.state.jobFeed().present(key.toString(), next(), claims);
    cluster.volumes.put("ckpt", new BoundVolume("ckpt", "local", List.of()));

    assertThat(volumes(RecoveryPhase.VERIFYING)).isEmpty();
    assertThat(volumes(RecoveryPhase.PLANNING)).isEqualTo(List.copyOf(cluster.volumes.values()));
  }

  private List<BoundVolume> volumes(RecoveryPhase phase) {
    return Objects.requireNonNull(observe(phase).job()).replicas().getFirst().needs().volumes();
  }

  @Test
  void shouldCountTheRoomThatOthersTakeAndNotThatOfTheGangItself() {
    PodView other =
        GANG.getFirst()
            .with(
                b ->
                    b.job(new JobKey("team", "other"))
                        .jobUid("uid-other")
                        .name("other-master-0")
                        .uid("uid-other-master-0"));
    cluster.state.podFeed().present(key(other), next(), other);

    // A watch that begins again with a list of a while ago shows pods that are drained.
    assertThat(observe(RecoveryPhase.PLANNING).pods()).hasSize(GANG.size());
    assertThat(observe(RecoveryPhase.PLANNING).taken())
        .isEqualTo(Map.of(other.node(), other.gpus()));

    for (PodView pod : GANG) {
      cluster.state.podFeed().gone(key(pod), next());
    }
    assertThat(observe(RecoveryPhase.RESUMING).taken())
        .isEqualTo(Map.of(other.node(), other.gpus()));
  }

  /** It is not fenced where the breaker is open, and would take pods. */
  @Test
  void shouldKnowTheFaultsOfAllNodesWhereNodesAreChosen() {
    for (String node : List.of("node-1", "node-3", "node-9")) {
      FaultView fault = Given.fault(node, "XID-79", FenceGuidance.ALWAYS);
      cluster.state.faultFeed().present(fault.name(), next(), fault);
    }
    FaultView over = Given.fault("node-4", "XID-79", FenceGuidance.ALWAYS).withActive(false);
    cluster.state.faultFeed().present(over.name(), next(), over);

    assertThat(observe(RecoveryPhase.PLANNING).faults())
        .extracting(FaultView::node)
        .as("node-9 does not exist")
        .containsExactly("node-1", "node-3");
    assertThat(observe(RecoveryPhase.FENCING).faults())
        .extracting(FaultView::node)
        .containsExactly("node-1");
    assertThat(GangRoom.closedNodes(observe(RecoveryPhase.PLANNING)))
        .containsExactly("node-1", "node-3");
  }

  /** A script that crashes before its first step, say, after a recovery that ended well. */
  @Test
  void shouldWaitForTheStepsOfAJobWhoseStepsAnEarlierRecoverySaw() {
    RecoverySnapshot unseen = observe(RecoveryPhase.VERIFYING);
    assertThat(unseen.printed()).isFalse();
    assertThat(phaseAfter(unseen)).isEqualTo(RecoveryPhase.RECOVERED);

    Cause cause = new Cause("XID-79", "", List.of(), List.of(), List.of(), List.of(), 42L);
    RecoveryStatus over =
        new RecoveryStatus(
            RecoveryPhase.FAILED, T0, 1, null, cause, null, null, List.of(), List.of());
    RecoveryView earlier = Given.recovery("demo-r0", T0, over);
    cluster.state.recoveryFeed().present("team/demo-r0", next(), earlier);

    RecoverySnapshot seen = observe(RecoveryPhase.VERIFYING);
    assertThat(seen.printed()).isTrue();
    assertThat(phaseAfter(seen)).isEqualTo(RecoveryPhase.VERIFYING);
  }

  private static RecoveryPhase phaseAfter(RecoverySnapshot snapshot) {
    List<PodView> gang = gang(Transitions.attemptId(snapshot.recovery()));
    Decision decision =
        RecoveryMachine.decide(
            snapshot.withPods(gang).withRanks(List.of()),
            Policy.DEFAULT,
            T0.plus(Policy.DEFAULT.readyStable()));
    return decision instanceof Decision.Move move
        ? Objects.requireNonNull(move.next().phase())
        : RecoveryPhase.VERIFYING;
  }

  /** It was taken back and given anew: what agents did for the one before says nothing of this. */
  @Test
  void shouldNotTakeAReportOnAnOrderBeforeForOneOnThis() {
    String attempt = "demo-r1-1";
    JobRef job = JobRef.pyTorchJob(key.name(), cluster.job().uid());
    RestartOrderSpec spec =
        new RestartOrderSpec(job, "demo-r1", RestartInstruction.FREEZE, "", T0.plusSeconds(600));
    cluster
        .state
        .orderFeed()
        .present(
            key.namespace() + "/" + attempt,
            next(),
            new OrderView(key.namespace(), attempt, "uid-2", T0, spec));
    for (String order : List.of("uid-1", "uid-2")) {
      RestartReportSpec said =
          new RestartReportSpec(
              attempt, order, "node-1", key.name(), RestartInstruction.FREEZE, "", List.of(), T0);
      String name = attempt + "." + order;
      cluster
          .state
          .restartFeed()
          .present(
              key.namespace() + "/" + name, next(), new RestartView(key.namespace(), name, said));
    }

    assertThat(observe(RecoveryPhase.DRAINING).reports())
        .extracting(report -> report.spec().orderUid())
        .containsExactly("uid-2");
  }
}
