package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.Policies;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Incident;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which victims of a fault are believed: an agent whose token was stolen names whom it likes. */
class NodeFactsTest {
  private static final Instant HIT = T0.plusSeconds(600);
  private static final Instant NOW = T0.plus(Duration.ofHours(2));
  private final FlatState state = new FlatState(new IgnoredChanges(), T0);

  /** A pod of the job whose program was hit on node-1. */
  private final PodView pod = gang("").getFirst().withNode("liar").withCreated(T0);

  NodeFactsTest() {
    state.policyFeed().present("default", "1", Policies.ofYaml("fencing: {scope: gpuNodes}"));
    state.nodeFeed().present("node-1", "1", node("node-1"));
    state.nodeFeed().present("liar", "1", node("liar"));
    state
        .faultFeed()
        .present(
            "real",
            "1",
            ofPrograms("node-1", "real", named(pod, "demo"), named("team", "other-uid", "other")));
  }

  private void lie(Incident... incidents) {
    state.faultFeed().present("lie", "1", ofPrograms("liar", "lie", incidents));
  }

  private boolean fences() {
    return NodeFacts.faults(state, "node-1", NOW).getFirst().fences();
  }

  @Test
  void shouldFenceWhatTwoOwnersMet() {
    assertThat(fences()).isTrue();
  }

  @Test
  void shouldNotBelieveThatAJobWasHitWhereItHadNoPod() {
    lie(named(pod, "demo"), named("team", "other-uid", "other"));

    assertThat(fences()).isTrue();
  }

  @Test
  void shouldBelieveItOfAJobWithAPodThere() {
    state.podFeed().present("team/p", "1", pod);
    lie(named(pod, "demo"));
    assertThat(fences()).isFalse();

    state.podFeed().gone("team/p", "2");
    assertThat(fences()).as("though the pod is gone by now").isFalse();
  }

  @Test
  void shouldNotBelieveItOfATimeBeforeThePod() {
    state.podFeed().present("team/p", "1", pod.withCreated(HIT.plus(Duration.ofHours(1))));
    lie(named(pod, "demo"));

    assertThat(fences()).isTrue();
  }

  /** Else each upgrade would take from programs what excuses the devices that they met. */
  @Test
  void shouldBelieveWhatWasBeforeThisProcessWatched() {
    Instant before = T0.minus(Duration.ofHours(1));
    lie(
        new Incident(
            before,
            before,
            1,
            "",
            pod.job().namespace(),
            "pod",
            pod.jobUid(),
            "boot-1",
            "demo",
            "",
            "",
            List.of()));

    assertThat(fences()).isFalse();
  }

  @Test
  void shouldNotBelieveTheOwnerOfAnotherNamespaceOrOfNoJob() {
    state.podFeed().present("elsewhere/p", "1", pod.withJob(new JobKey("elsewhere", "demo")));
    lie(named(pod, "demo"), named("team", "", "other"));

    assertThat(fences()).isTrue();
  }

  @Test
  void shouldBelieveItWhereARecoveryHasWrittenDownThatTheJobWasThere() {
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.RECOVERED,
            T0,
            1,
            null,
            new Cause("Failed", "", List.of(), List.of("liar"), List.of(), List.of(), null),
            null,
            null,
            List.of(),
            List.of());
    state.recoveryFeed().present("team/demo-r1", "1", Given.recovery("demo-r1", T0, status));
    lie(named(pod, "demo"));

    assertThat(fences()).isFalse();
  }

  private static Incident named(PodView pod, String owner) {
    return named(pod.job().namespace(), pod.jobUid(), owner);
  }

  private static Incident named(String namespace, String jobUid, String owner) {
    return new Incident(
        HIT, HIT, 1, "", namespace, "pod", jobUid, "boot-1", owner, "", "", List.of());
  }

  private static FaultView ofPrograms(String node, String name, Incident... incidents) {
    return fault(node, "XID-31", FenceGuidance.THRESHOLD)
        .with(b -> b.name(name).bootId("boot-1").incidents(List.of(incidents)));
  }
}
