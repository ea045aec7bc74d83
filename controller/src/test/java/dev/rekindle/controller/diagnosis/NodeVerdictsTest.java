package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.FREE;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.OURS;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.POLICY;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.booted;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.decide;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.xid31;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.xid79;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Policies;
import dev.rekindle.controller.diagnosis.NodeSnapshot.Tenant;
import dev.rekindle.controller.diagnosis.NodeSnapshots.Fault;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.detect.node.NodeSigns;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whether a node is fenced, left or released, by table and by chance. */
class NodeVerdictsTest {
  private static final NodeView THEIRS = node("n-1", Readiness.READY, T0, true, "");

  private static final NodeView MAINTAINED =
      FREE.withSigns(
          new NodeSigns(List.of(), List.of(), List.of(), new NodeOwner("Karpenter", "x", false)));

  static Stream<Arguments> nodes() {
    FaultView gone = xid79().build();
    return Stream.of(
        argumentSet("a fault that fences", FREE, List.of(gone), "Fence"),
        argumentSet("no fault", FREE, List.of(), "NoAction"),
        argumentSet("one that never fences", FREE, List.of(never()), "NoAction"),
        argumentSet("a threshold met once", FREE, List.of(xid31("job-a").build()), "NoAction"),
        argumentSet("ours, and it stands", OURS, List.of(gone), "NoAction"),
        argumentSet("ours, and nothing is left", OURS, List.of(), "Release"),
        argumentSet("ours, only what never fences is left", OURS, List.of(never()), "Release"),
        argumentSet("ours, cleared by the driver", OURS, List.of(cleared("driver")), "Release"),
        argumentSet("under somebody else's hands", MAINTAINED, List.of(gone), "NoAction"),
        argumentSet("somebody else's cordon, guilty", THEIRS, List.of(gone), "NoAction"),
        argumentSet("somebody else's cordon, well", THEIRS, List.of(), "NoAction"));
  }

  @ParameterizedTest
  @MethodSource("nodes")
  void shouldFenceTheGuiltyAndLiftOnlyItsOwn(NodeView n, List<FaultView> faults, String verdict) {
    assertThat(decide(n, faults, NOW)).asString().startsWith(verdict);
  }

  @ParameterizedTest
  @CsvSource({
    "auto, auto, false, Fence",
    "auto, approve, false, Suppressed",
    "auto, approve, true, Fence",
    "auto, observe, false, Suppressed",
    "auto, observe, true, Suppressed",
    "observe, auto, false, Suppressed",
    "observe, auto, true, Suppressed",
    "approve, auto, false, Suppressed",
    "approve, auto, true, Fence",
    "no, auto, true, NoAction",
  })
  void shouldGoNoFurtherThanJobAndPolicyLetIt(
      String job, String policy, boolean approved, String verdict) {
    OptIn optIn =
        job.equals("no")
            ? new OptIn.No()
            : new OptIn.Yes(Mode.valueOf(job.toUpperCase(java.util.Locale.ROOT)));
    FaultView fault = xid79().build();
    NodeSnapshot s =
        new NodeSnapshot(
            approved ? approved(fault.name()) : FREE,
            List.of(fault),
            List.of(),
            List.of(new Tenant(job().optIn(optIn).view(), policy(policy, null))));

    assertThat(NodeVerdicts.decide(s, POLICY, NOW)).asString().startsWith(verdict);
  }

  @ParameterizedTest
  @CsvSource({
    "auto, true, auto, true, Paused",
    "auto, true, auto, false, Fence",
    "auto, false, auto, true, Fence",
    "approve, true, approve, true, Paused",
    "observe, true, observe, true, Suppressed",
    "auto, true, observe, false, Suppressed"
  })
  void shouldFenceForNoPolicyThatIsPaused(
      String one, boolean paused, String other, boolean otherPaused, String verdict) {
    NodeSnapshot s =
        new NodeSnapshot(
            FREE,
            List.of(xid79().build()),
            List.of(),
            List.of(
                new Tenant(job().view(), policy(one, null).withPaused(paused)),
                new Tenant(job().view(), policy(other, null).withPaused(otherPaused))));

    assertThat(NodeVerdicts.decide(s, POLICY, NOW)).asString().startsWith(verdict);
  }

  @Test
  void shouldNotTakeTheApprovalOfAnotherFaultForItsOwn() {
    NodeSnapshot s =
        new NodeSnapshot(
            approved("another-fault"),
            List.of(xid79().build()),
            List.of(),
            List.of(new Tenant(job().view(), policy("approve", null))));

    assertThat(NodeVerdicts.decide(s, POLICY, NOW)).isInstanceOf(NodeVerdict.Suppressed.class);
  }

  static Stream<Arguments> neighbours() {
    return Stream.of(
        argumentSet("one only looks on", "mode: observe", "mode: auto", "mode: auto"),
        argumentSet("one asks first", "mode: auto", "mode: approve", "mode: auto"),
        argumentSet(
            "one lets no node be fenced",
            "fencing: {maxNodes: 0}",
            "fencing: {maxNodes: 2}",
            "fencing: {maxNodes: 2}"));
  }

  /** What must be fenced is fenced, though another job on the node would rather go on. */
  @ParameterizedTest
  @MethodSource("neighbours")
  void shouldFenceForTheJobWhosePolicyLetsItDoSo(String one, String other, String by) {
    Tenant a = new Tenant(named("a", "job-a"), Policies.ofYaml(one));
    Tenant b = new Tenant(named("b", "job-b"), Policies.ofYaml(other));

    for (List<Tenant> both : List.of(List.of(a, b), List.of(b, a))) {
      NodeSnapshot s = new NodeSnapshot(FREE, List.of(xid79().build()), List.of(), both);

      assertThat(NodeVerdicts.decide(s, POLICY, NOW))
          .isInstanceOfSatisfying(
              NodeVerdict.Fence.class,
              fence -> assertThat(fence.policy()).isEqualTo(Policies.ofYaml(by)));
    }
  }

  private static JobView named(String name, String uid) {
    return job().view().with(b -> b.key(new JobKey("team", name)).uid(uid));
  }

  static Stream<Arguments> tenants() {
    return Stream.of(
        argumentSet("no pod there", null, null, "NoAction"),
        argumentSet("no pod there, all GPU nodes", null, "gpuNodes", "Fence"),
        argumentSet("not opted in", job().optIn(new OptIn.No()).view(), null, "NoAction"),
        argumentSet("it is over", job().succeeded(T0).view(), null, "NoAction"),
        argumentSet("somebody else's", job().notOurs("Kueue").view(), null, "NoAction"));
  }

  @ParameterizedTest
  @MethodSource("tenants")
  void shouldFenceForJobsThatOptedInOnlyUnlessSetOtherwise(
      @Nullable JobView job, @Nullable String scope, String verdict) {
    Policy policy = policy(null, scope);
    NodeSnapshot s =
        new NodeSnapshot(
            FREE,
            List.of(xid79().build()),
            List.of(),
            job == null ? List.of() : List.of(new Tenant(job, policy)));

    assertThat(NodeVerdicts.decide(s, policy, NOW)).asString().startsWith(verdict);
  }

  /** Over many snapshots made by chance. */
  @Test
  void shouldKeepItsWordWhateverThereIs() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
    for (int i = 0; i < 20_000; i++) {
      NodeView n = List.of(FREE, OURS, THEIRS).get(random.nextInt(3));
      n = random.nextBoolean() ? n : booted(n, "boot-2", Readiness.READY, NOW.minusSeconds(400));
      List<FaultView> faults = new ArrayList<>();
      for (int f = random.nextInt(4); f > 0; f--) {
        faults.add(any(random));
      }
      NodeVerdict verdict = decide(n, faults, NOW);
      boolean guilt = faults.stream().anyMatch(f -> f.active() && f.fence() != FenceGuidance.NEVER);
      if (verdict instanceof NodeVerdict.Fence) {
        assertThat(guilt).as("%s", faults).isTrue();
        assertThat(n.unschedulable()).isFalse();
      }
      if (verdict instanceof NodeVerdict.Release || verdict instanceof NodeVerdict.KeepFenced) {
        assertThat(n.fencedByUs()).isTrue();
      }
      if (n.fencedByUs() && !guilt && faults.stream().noneMatch(f -> f.bootId().isEmpty())) {
        assertThat(verdict).isNotInstanceOf(NodeVerdict.Fence.class);
      }
      // Waiting alone changes a verdict only where a burst ends or a reboot settles.
      if (verdict instanceof NodeVerdict.NoAction(_, Instant until) && until == null) {
        assertThat(decide(n, faults, NOW.plus(Duration.ofDays(300)))).isEqualTo(verdict);
      }
    }
  }

  private static FaultView any(RandomGenerator random) {
    Fault fault = random.nextBoolean() ? xid79() : xid31();
    fault = random.nextInt(3) == 0 ? fault.guidance(FenceGuidance.NEVER) : fault;
    for (int i = random.nextInt(4); i > 0; i--) {
      fault =
          fault.incident(NOW.minusSeconds(random.nextInt(200_000)), "job-" + random.nextInt(3), "");
    }
    return random.nextInt(3) == 0
        ? fault.clearedBy(random.nextBoolean() ? "driver" : "reboot").build()
        : fault.build();
  }

  private static FaultView never() {
    return xid31("job-a").guidance(FenceGuidance.NEVER).build();
  }

  private static FaultView cleared(String by) {
    return xid79().clearedBy(by).build();
  }

  @Test
  void shouldAskAgainWhereAnApprovalHasExpired() {
    Policy policy = policy("approve", null).withApproval(Duration.ofHours(1));
    FaultView fault = xid79().build();
    for (long seconds : new long[] {0, 3599, 3600, 90_000}) {
      NodeVerdict verdict =
          NodeVerdicts.decide(
              new NodeSnapshot(
                  approved(fault.name()).withApprovedAt(NOW.minusSeconds(seconds)),
                  List.of(fault),
                  List.of(),
                  List.of(new Tenant(job().view(), policy))),
              POLICY,
              NOW);
      if (seconds < 3600) {
        assertThat(verdict).as("%d s", seconds).isInstanceOf(NodeVerdict.Fence.class);
      } else {
        assertThat(verdict)
            .as("%d s", seconds)
            .isInstanceOfSatisfying(
                NodeVerdict.Suppressed.class,
                s -> assertThat(s.reason()).contains("has expired: take the annotation off"));
      }
    }
  }

  private static NodeView approved(String fault) {
    return FREE.withApprovedFault(fault);
  }

  private static Policy policy(@Nullable String mode, @Nullable String scope) {
    return Policies.ofYaml("mode: %s\nfencing: {scope: %s}".formatted(mode, scope));
  }
}
