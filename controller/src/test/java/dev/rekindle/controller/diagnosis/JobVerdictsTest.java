package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.failed;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.Given.unstartable;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.JobSnapshots.XID_79;
import static dev.rekindle.controller.diagnosis.JobSnapshots.decide;
import static dev.rekindle.controller.diagnosis.JobSnapshots.reason;
import static dev.rekindle.controller.diagnosis.JobSnapshots.silent;
import static dev.rekindle.controller.diagnosis.JobSnapshots.stepping;
import static dev.rekindle.controller.diagnosis.JobSnapshots.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Reason;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class JobVerdictsTest {
  @Test
  void shouldLeaveAJobThatTrains() {
    assertThat(decide(job(), gang("a"), List.of(), stepping(gang("a"))))
        .isInstanceOf(Verdict.Watch.class);
  }

  static Stream<Arguments> leftAlone() {
    List<PodView> gang = gang("a");
    return Stream.of(
        argumentSet("not opted in", job().optIn(new OptIn.No()), gang, XID_79),
        argumentSet("suspended by its user", job().suspended("", true), gang, XID_79),
        argumentSet("succeeded", job().succeeded(T0), gang, XID_79),
        argumentSet(
            "fault that does not fence",
            job(),
            gang,
            fault("node-1", "XID-13", FenceGuidance.THRESHOLD)),
        argumentSet(
            "fault of a node without its pods",
            job(),
            gang,
            fault("node-3", "XID-79", FenceGuidance.ALWAYS)),
        argumentSet("cleared fault", job(), gang, cleared(XID_79)),
        argumentSet(
            "failed by its backoff limit",
            job()
                .failed(
                    NOW, "Job demo has failed because it has reached the specified backoff limit"),
            gang,
            XID_79),
        argumentSet(
            "failed by its backoff limit, and its failed pods stand",
            job()
                .failed(
                    NOW, "Job demo has failed because it has reached the specified backoff limit"),
            gang.stream().map(p -> Given.failed(p, NOW, "exit code 1")).toList(),
            cleared(XID_79)));
  }

  @ParameterizedTest
  @MethodSource("leftAlone")
  void shouldNotRecover(Given.Job job, List<PodView> pods, FaultView fault) {
    assertThat(decide(job, pods, List.of(fault), stepping(pods)))
        .isNotInstanceOf(Verdict.Recover.class)
        .isNotInstanceOf(Verdict.Refuse.class);
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        argumentSet(
            "nonsense in an annotation",
            job().optIn(new OptIn.Unusable("recover=\"maybe\"")),
            Reason.INVALID_ANNOTATION),
        argumentSet("observe mode", job().optIn(new OptIn.Yes(Mode.OBSERVE)), Reason.WOULD_RECOVER),
        argumentSet(
            "managed by Kueue", job().notOurs("Kueue admits it"), Reason.MANAGED_EXTERNALLY));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void shouldRefuseAndSayWhy(Given.Job job, Reason reason) {
    assertThat(decide(job, gang("a"), List.of(XID_79), stepping(gang("a"))))
        .isInstanceOfSatisfying(
            Verdict.Refuse.class,
            refusal -> {
              assertThat(refusal.reason()).isEqualTo(reason);
              assertThat(refusal.message()).isNotBlank();
            });
  }

  @Test
  void shouldSayThatNoRestartRepairsAnImage() {
    List<PodView> pods = with(gang("a"), 1, unstartable(gang("a").get(1)));

    assertThat(decide(job(), pods, List.of(), List.of()))
        .isInstanceOfSatisfying(
            Verdict.Refuse.class, r -> assertThat(r.reason()).isEqualTo(Reason.POD_CANNOT_START));
  }

  @Test
  void shouldNeverFenceOnAnythingButAHardwareWitness() {
    List<PodView> pods = gang("a");
    Instant old = NOW.minusSeconds(2000);
    List<Verdict> without =
        List.of(
            decide(job(), pods, List.of(), ranks(pods, 42L, old, NOW)),
            decide(job(), pods, List.of(), ranks(pods, 42L, old, NOW), silent("node-1")),
            decide(
                job().restart(RestartPolicy.NEVER),
                with(pods, 1, failed(pods.get(1), NOW, "exit code 1")),
                List.of(),
                stepping(pods)));

    assertThat(without)
        .allSatisfy(v -> assertThat(((Verdict.Recover) v).cause().faultyNodes()).isEmpty());
  }

  private static FaultView cleared(FaultView f) {
    return f.with(b -> b.active(false).clearedBy("driver"));
  }
}
