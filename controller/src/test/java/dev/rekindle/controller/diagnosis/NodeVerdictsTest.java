package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.Policies;
import dev.rekindle.controller.diagnosis.NodeSnapshot.Tenant;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Confidence;
import dev.rekindle.controller.model.FaultView.Incident;
import dev.rekindle.controller.model.FaultViewBuilder;
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
import java.util.Objects;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class NodeVerdictsTest {
  private static final Policy POLICY = Policy.DEFAULT;
  private static final NodeView FREE = node("n-1");
  private static final NodeView OURS = node("n-1", Readiness.READY, T0, true, "fault/n-1-XID-79");
  private static final NodeView THEIRS = node("n-1", Readiness.READY, T0, true, "");
  private static final NodeView MAINTAINED =
      FREE.withSigns(
          new NodeSigns(List.of(), List.of(), List.of(), new NodeOwner("Karpenter", "x", false)));
  private static final Instant NOW = T0.plus(Duration.ofHours(2));

  // --- what a table can say -----------------------------------------------------------------

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
        argumentSet("nobody there", null, null, "NoAction"),
        argumentSet("nobody there, all GPU nodes", null, "gpuNodes", "Fence"),
        argumentSet("not opted in", job().optIn(new OptIn.No()).view(), null, "NoAction"),
        argumentSet("it is over", job().succeeded(T0).view(), null, "NoAction"),
        argumentSet("somebody else's", job().notOurs("Kueue").view(), null, "NoAction"));
  }

  @ParameterizedTest
  @MethodSource("tenants")
  void shouldFenceForJobsThatOptedInOnlyUnlessToldOtherwise(
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

  // --- software or hardware -----------------------------------------------------------------

  @Test
  void shouldTakeAGpuThatHurtsDifferentJobsForBroken() {
    FaultView fault = xid31("job-a", "job-b").build();

    assertThat(weight(fault).fences()).isTrue();
    assertThat(weight(fault).confidence()).isEqualTo(Confidence.MEDIUM);
    assertThat(decide(FREE, List.of(fault), NOW))
        .isInstanceOfSatisfying(
            NodeVerdict.Fence.class,
            f ->
                assertThat(f.reason())
                    .contains("different owners")
                    .contains("confidence medium: kmsg XID-31"));
  }

  /** An older agent does not report owners: two jobs may be one program, made again. */
  @Test
  void shouldNotTakeJobsOfWhichNoOwnerIsKnownForDifferentPrograms() {
    FaultView known = xid31("job-a", "job-b").build();
    FaultView unknown =
        known.withIncidents(
            known.incidents().stream()
                .map(
                    i ->
                        new Incident(
                            i.firstSeen(),
                            i.lastSeen(),
                            i.lines(),
                            i.unit(),
                            i.namespace(),
                            i.pod(),
                            i.jobUid(),
                            i.bootId()))
                .toList());

    assertThat(weight(known).fences()).isTrue();
    assertThat(weight(unknown).fences()).isFalse();
  }

  /** A program in a crash loop, on one node or moving over many, on one GPU or on eight. */
  @ParameterizedTest
  @CsvSource({"1, 1", "1, 8", "5, 1", "5, 8"})
  void shouldNotFenceForAProgramInACrashLoop(int nodes, int gpus) {
    for (String code : List.of("XID-13", "XID-31", "XID-32", "XID-69", "XID-109")) {
      List<FaultView> faults = new ArrayList<>();
      for (int n = 0; n < nodes; n++) {
        for (int g = 0; g < gpus; g++) {
          Fault fault = xid31().code(code).on("n-" + (n + 1)).component("GPU 0000:0" + g + ":00");
          for (int i = 0; i < 8; i++) {
            Instant at = T0.plusSeconds(600L * i + n);
            fault =
                fault.incidents(
                    new Incident(
                        at,
                        at,
                        3,
                        "GPC 0 TPC 0",
                        "team",
                        "pod-" + i,
                        "uid-" + i,
                        "boot-1",
                        "loops",
                        "python",
                        "",
                        List.of()));
          }
          faults.add(fault.build());
        }
      }
      List<FaultView> here = faults.stream().filter(f -> f.node().equals("n-1")).toList();
      List<FaultView> elsewhere = faults.stream().filter(f -> !f.node().equals("n-1")).toList();

      assertThat(NodeVerdicts.weigh(snapshot(here, elsewhere), POLICY, NOW))
          .as(code)
          .noneMatch(FaultView::fences);
    }
  }

  private static NodeSnapshot snapshot(List<FaultView> here, List<FaultView> elsewhere) {
    return new NodeSnapshot(FREE, here, elsewhere, List.of());
  }

  @Test
  void shouldNotBlameTheGpuForAJobThatFailsOnOthersToo() {
    FaultView here = xid31("job-a", "job-b").build();
    FaultView there = xid31("job-a").on("n-2").build();

    FaultWeightsOf weights = weights(List.of(here), List.of(there));

    assertThat(weights.first().fences()).isFalse();
  }

  @Test
  void shouldSayThatItIsTheProgramWhereNothingElseIsLeft() {
    FaultView here = xid31("job-a").build();
    FaultView there = xid31("job-a").component("GPU 0000:4c:00").build();

    assertThat(weights(List.of(here, there), List.of()).first().reason())
        .contains("the same program");
  }

  @Test
  void shouldNotExcuseWhatNoProgramCauses() {
    Fault ecc = xid31("job-a", "job-b").code("XID-94");

    assertThat(weights(List.of(ecc.build()), List.of(ecc.on("n-2").build())).first().fences())
        .isTrue();
  }

  @Test
  void shouldNotJoinWhatIsMoreThanADayApart() {
    FaultView apart =
        xid31()
            .incident(NOW.minus(Duration.ofHours(40)), "job-a", "")
            .incident(NOW.minus(Duration.ofHours(1)), "job-b", "")
            .build();
    FaultView together =
        xid31()
            .incident(NOW.minus(Duration.ofHours(40)), "job-a", "")
            .incident(NOW.minus(Duration.ofHours(20)), "job-b", "")
            .build();

    assertThat(weight(apart).fences()).isFalse();
    assertThat(weight(together).fences()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | Fence",
        "detection: {weighing: {owners: 3}} | NoAction",
        "detection: {weighing: {owners: 2, windowSeconds: 3600, stickySeconds: 0}} | Fence",
        "detection: {incidentGapSeconds: 3600} | Fence",
      })
  void shouldWeighByTheThresholdsOfThePolicyForNodes(String spec, String verdict) {
    FaultView fault = xid31("job-a", "job-b").build();
    // What a tenant's own policy says of thresholds counts for nothing.
    Policy tenants = Policies.ofYaml("detection: {weighing: {owners: 12}}");
    NodeSnapshot s =
        new NodeSnapshot(
            FREE, List.of(fault), List.of(), List.of(new Tenant(job().view(), tenants)));

    assertThat(NodeVerdicts.decide(s, Policies.ofYaml(spec), T0.plusSeconds(7_200)))
        .asString()
        .startsWith(verdict);
  }

  @Test
  void shouldWaitForTheEndOfABurst() {
    Instant last = NOW.minusSeconds(10);
    FaultView fault = xid31("job-a").incident(last, "job-b", "").build();

    assertThat(decide(FREE, List.of(fault), NOW))
        .isEqualTo(new NodeVerdict.NoAction("well", last.plus(POLICY.incidentGap())));
    assertThat(decide(FREE, List.of(fault), last.plus(POLICY.incidentGap())))
        .isInstanceOf(NodeVerdict.Fence.class);
    assertThat(decide(OURS, List.of(fault), NOW))
        .as("what is fenced stays so meanwhile")
        .isInstanceOf(NodeVerdict.NoAction.class);
  }

  @Test
  void shouldBeSurerOfASecondWitness() {
    FaultView kmsg = xid79().build();
    FaultView nvml = xid79().code("NVML-GPU-LOST").detector("nvml").build();
    FaultView elsewhere =
        xid79().code("NVML-GPU-LOST").detector("nvml").component("GPU 0000:4c:00").build();

    assertThat(weights(List.of(kmsg, nvml), List.of()).first())
        .satisfies(w -> assertThat(w.confidence()).isEqualTo(Confidence.HIGH))
        .satisfies(
            w -> assertThat(w.witnesses()).containsExactly("kmsg XID-79", "nvml NVML-GPU-LOST"));
    assertThat(weights(List.of(kmsg, elsewhere), List.of()).first().confidence())
        .as("of another GPU")
        .isEqualTo(Confidence.MEDIUM);
  }

  /** The agent says a line of the kernel log in the name of the port that it reads as well. */
  @Test
  void shouldTakeLogAndPortForTwoWitnessesOfOneIncident() {
    Fault port = xid79().component("NIC mlx5_0/1");
    FaultView firmware = port.code("MLX5-HEALTH-LOST").build();
    FaultView down = port.code("NIC-PORT-DOWN").detector("nic").build();
    FaultView link = port.code("MLX5-LINK-DOWN").guidance(FenceGuidance.NEVER).build();

    assertThat(decide(FREE, List.of(firmware, down, link), NOW))
        .isInstanceOfSatisfying(
            NodeVerdict.Fence.class,
            f -> {
              var weight = Objects.requireNonNull(f.fault().weight());
              assertThat(weight.confidence()).isEqualTo(Confidence.HIGH);
              assertThat(weight.witnesses())
                  .containsExactly("kmsg MLX5-HEALTH-LOST", "nic NIC-PORT-DOWN");
            });
    FaultView flaps =
        port.code("NIC-PORT-FLAPPING").detector("nic").guidance(FenceGuidance.THRESHOLD).build();
    assertThat(decide(FREE, List.of(flaps, link), NOW))
        .as("a link that flaps, seen twice, is still one that flaps")
        .isInstanceOf(NodeVerdict.NoAction.class);
  }

  @Test
  void shouldBeSurerWhereTheSamePartFailsEachTime() {
    FaultView fault =
        xid31()
            .incident(T0, "job-a", "GPC 1 TPC 2")
            .incident(T0.plusSeconds(600), "job-b", "GPC 1 TPC 2")
            .build();

    assertThat(weight(fault).confidence()).isEqualTo(Confidence.HIGH);
  }

  @Test
  void shouldFenceWhatBurstsAgainAndAgainThoughOnlyOneJobIsThere() {
    Fault fault = xid31().code("XID-94");
    for (int i = 0; i < 4; i++) {
      fault = fault.incident(T0.plusSeconds(600L * i), "job-a", "");
    }
    assertThat(weight(fault.build()).fences()).isFalse();
    assertThat(weight(fault.incident(T0.plusSeconds(3_000), "job-a", "").build()).fences())
        .isTrue();
  }

  // --- what clears --------------------------------------------------------------------------

  @Test
  void shouldReleaseAfterARebootOnceTheNodeHasSettled() {
    FaultView fault = xid79().build();
    NodeView back = booted(OURS, "boot-2", Readiness.READY, NOW);

    assertThat(decide(back, List.of(fault), NOW.plus(POLICY.rebootSettle()).minusSeconds(1)))
        .isEqualTo(new NodeVerdict.NoAction("fenced", NOW.plus(POLICY.rebootSettle())));
    assertThat(decide(back, List.of(fault), NOW.plus(POLICY.rebootSettle())))
        .isInstanceOfSatisfying(
            NodeVerdict.Release.class, r -> assertThat(r.why()).contains("reboot"));
  }

  static Stream<Arguments> notProven() {
    return Stream.of(
        argumentSet("the same boot", booted(OURS, "boot-1", Readiness.READY, NOW), xid79()),
        argumentSet("not Ready", booted(OURS, "boot-2", Readiness.NOT_READY, NOW), xid79()),
        argumentSet("silent", booted(OURS, "boot-2", Readiness.SILENT, NOW), xid79()),
        argumentSet(
            "the status of the node is older than the fault",
            booted(OURS, "boot-0", Readiness.READY, T0.minusSeconds(60)),
            xid79()),
        argumentSet("the node tells no boot", booted(OURS, "", Readiness.READY, NOW), xid79()),
        argumentSet(
            "to be replaced",
            booted(OURS, "boot-2", Readiness.READY, NOW),
            xid79().action("drain_and_rma")));
  }

  @ParameterizedTest
  @MethodSource("notProven")
  void shouldNotTakeSilenceOrHalfARebootForACure(NodeView n, Fault fault) {
    assertThat(decide(n, List.of(fault.build()), NOW.plus(Duration.ofDays(100))))
        .isInstanceOf(NodeVerdict.NoAction.class);
  }

  @Test
  void shouldTakeAnotherBootForARebootThoughTheNodeNeverSaidNotReady() {
    FaultView fault = xid79().build();
    Instant seen = Objects.requireNonNull(fault.lastSeen());
    Instant reported = seen.plusSeconds(40);
    NodeView back = booted(OURS, "boot-2", Readiness.READY, T0, reported);
    Instant settled = reported.plus(POLICY.rebootSettle());

    assertThat(decide(back, List.of(fault), settled.minusSeconds(1)))
        .isEqualTo(new NodeVerdict.NoAction("fenced", settled));
    assertThat(decide(back, List.of(fault), settled)).isInstanceOf(NodeVerdict.Release.class);
    NodeView lags = booted(OURS, "boot-0", Readiness.READY, T0, seen.minusSeconds(1));
    assertThat(decide(lags, List.of(fault), settled.plus(Duration.ofDays(1))))
        .as("reported before the fault was seen: the boot before")
        .isInstanceOf(NodeVerdict.NoAction.class);
    NodeView later = booted(OURS, "boot-2", Readiness.READY, reported.plusSeconds(60), reported);
    assertThat(decide(later, List.of(fault), settled))
        .as("Ready a minute after its boot")
        .isEqualTo(new NodeVerdict.NoAction("fenced", settled.plusSeconds(60)));
    NodeView kubeletBefore = booted(OURS, "boot-2", Readiness.READY, seen.plusSeconds(1), reported);
    assertThat(
            decide(kubeletBefore, List.of(fault), seen.plusSeconds(1).plus(POLICY.rebootSettle())))
        .as("Ready changed in the old boot, and the new one is young")
        .isInstanceOf(NodeVerdict.NoAction.class);
  }

  @Test
  void shouldNotBelieveAThirdReboot() {
    Fault fault = xid79().inBoot("boot-1").inBoot("boot-2").inBoot("boot-3");
    NodeView back = booted(OURS, "boot-4", Readiness.READY, NOW);

    assertThat(decide(back, List.of(fault.build()), NOW.plus(Duration.ofDays(1))))
        .isInstanceOf(NodeVerdict.NoAction.class);
    assertThat(decide(back, List.of(fault.clearedBy("reboot").build()), NOW))
        .isInstanceOfSatisfying(
            NodeVerdict.KeepFenced.class, k -> assertThat(k.why()).contains("part replaced"));
    assertThat(decide(back, List.of(fault.clearedBy("probe").build()), NOW))
        .isInstanceOf(NodeVerdict.Release.class);
  }

  @Test
  void shouldNotFenceForAFaultOfAnEarlierBoot() {
    NodeView back = booted(FREE, "boot-2", Readiness.SILENT, NOW);

    assertThat(decide(back, List.of(xid79().build()), NOW))
        .isInstanceOf(NodeVerdict.NoAction.class);
  }

  // --- properties ---------------------------------------------------------------------------

  /** Over many snapshots made by chance. */
  @Test
  void shouldKeepItsWordWhateverThereIs() {
    RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
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

  // --- givens -------------------------------------------------------------------------------

  private record FaultWeightsOf(List<FaultView> faults) {
    FaultView.Assessment first() {
      return Objects.requireNonNull(faults.getFirst().weight());
    }
  }

  private static FaultView.Assessment weight(FaultView fault) {
    return weights(List.of(fault), List.of()).first();
  }

  private static FaultWeightsOf weights(List<FaultView> here, List<FaultView> elsewhere) {
    return new FaultWeightsOf(
        NodeVerdicts.weigh(new NodeSnapshot(FREE, here, elsewhere, List.of()), POLICY, NOW));
  }

  private static NodeVerdict decide(NodeView n, List<FaultView> faults, Instant now) {
    NodeSnapshot s =
        new NodeSnapshot(n, faults, List.of(), List.of(new Tenant(job().view(), POLICY)));
    return NodeVerdicts.decide(s, POLICY, now);
  }

  private static FaultView never() {
    return xid31("job-a").guidance(FenceGuidance.NEVER).build();
  }

  private static FaultView cleared(String by) {
    return xid79().clearedBy(by).build();
  }

  private static Fault xid79() {
    return new Fault(Given.fault("n-1", "XID-79", FenceGuidance.ALWAYS));
  }

  private static Fault xid31(String... jobs) {
    Fault fault =
        new Fault(Given.fault("n-1", "XID-31", FenceGuidance.THRESHOLD)).action("restart_job");
    for (int i = 0; i < jobs.length; i++) {
      fault = fault.incident(T0.plusSeconds(600L * i), jobs[i], "");
    }
    return fault;
  }

  private static NodeView approved(String fault) {
    return FREE.withApprovedFault(fault);
  }

  private static NodeView booted(NodeView n, String boot, Readiness readiness, Instant since) {
    return booted(n, boot, readiness, since, null);
  }

  private static NodeView booted(
      NodeView n, String boot, Readiness readiness, Instant since, @Nullable Instant bootSince) {
    return n.with(
        b -> b.readiness(readiness).readinessSince(since).bootId(boot).bootSince(bootSince));
  }

  private static Policy policy(@Nullable String mode, @Nullable String scope) {
    return Policies.ofYaml("mode: %s\nfencing: {scope: %s}".formatted(mode, scope));
  }

  /** A fault under change; each change makes another one. */
  record Fault(FaultView f) {
    FaultView build() {
      return f;
    }

    Fault code(String code) {
      return with(b -> b.code(code));
    }

    Fault component(String component) {
      return with(b -> b.component(component));
    }

    Fault on(String node) {
      return with(b -> b.node(node));
    }

    Fault guidance(FenceGuidance fence) {
      return with(b -> b.fence(fence));
    }

    Fault detector(String detector) {
      return with(b -> b.detector(detector));
    }

    Fault action(String action) {
      return with(b -> b.action(action));
    }

    Fault clearedBy(String by) {
      return with(b -> b.active(false).clearedBy(by));
    }

    Fault inBoot(String boot) {
      return incidents(new Incident(T0, T0, 1, "", "", "", "", boot));
    }

    Fault incident(Instant at, String job, String unit) {
      return incidents(
          new Incident(
              at, at, 1, unit, "team", "pod", job + "-uid", "boot-1", job, "", "", List.of()));
    }

    private Fault incidents(Incident next) {
      List<Incident> all = new ArrayList<>(f.incidents());
      all.add(next);
      return with(b -> b.count(all.size()).bootId(next.bootId()).incidents(all));
    }

    private Fault with(Consumer<FaultViewBuilder> change) {
      FaultView next = f.with(change);
      return new Fault(next.withName(next.node() + "-" + next.code()));
    }
  }
}
