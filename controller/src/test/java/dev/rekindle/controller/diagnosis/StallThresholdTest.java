package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.recovery;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long steps may stand. */
class StallThresholdTest {
  private static final long SIX_HOURS = 21_600;
  private static final List<PodView> PODS = gang("a");

  /** Its newest step was 31 s ago. */
  private static final Instant STEPPED = NOW.minusSeconds(31);

  private static Pace pace(long p99, long longest, long trained) {
    return new Pace(200, 200, p99, longest, trained, 31, false);
  }

  private static StallThreshold of(Given.Job job, Policy policy, Pace pace, RecoveryView... past) {
    return of(job, policy, ranks(PODS, 42L, STEPPED, NOW, pace), past);
  }

  private static StallThreshold of(
      Given.Job job, Policy policy, List<RankView> ranks, RecoveryView... past) {
    var s = new JobSnapshot(job.view(), PODS, nodes(), List.of(), ranks, List.of(past));
    return StallThreshold.of(s, GangProgress.of(PODS, ranks), policy, NOW);
  }

  private static List<RankView> ranks(
      List<PodView> pods, long step, Instant stepped, Instant observed, Pace pace) {
    return Given.ranks(pods, step, stepped, observed).stream().map(r -> r.withPace(pace)).toList();
  }

  /** Milliseconds of p99 and of the longest interval, seconds trained, seconds of the threshold. */
  @ParameterizedTest
  @CsvSource({
    "   900,     950,  21600,   30",
    "   900,   50000,  21600,  100",
    " 20000,   21000,  21600,  100",
    "   900,     950,    100,   30",
    "   900,     950,   500,  100",
    "   900,     950,   5000,  120",
    "   900,  250000,  21600,  500",
    "   900,  390000,  21600,  600",
    "   900,  500000,  21600,  750",
    "150000,  151000,  21600,  600",
    "450000,  460000,  90000,  690"
  })
  void shouldLearnFromStepsAndPauses(long p99, long longest, long trained, long seconds) {
    var threshold = of(job(), Policy.DEFAULT, pace(p99, longest, trained));
    assertThat(threshold.timeout()).isEqualTo(Duration.ofSeconds(seconds));
    assertThat(threshold.learnt()).isTrue();
  }

  @Test
  void shouldTakeTheJobsOwnWordAndThePolicysFloor() {
    var pace = pace(900, 50_000, SIX_HOURS);
    assertThat(of(job().stallTimeout(Duration.ofSeconds(7)), Policy.DEFAULT, pace).timeout())
        .isEqualTo(Duration.ofSeconds(7));
    var high = Policy.DEFAULT.withMinStall(Duration.ofMinutes(5));
    assertThat(of(job(), high, pace).timeout()).isEqualTo(Duration.ofMinutes(5));
    var off = Policy.DEFAULT.withMinStall(Policy.DEFAULT.stall());
    assertThat(of(job(), off, pace).timeout()).isEqualTo(Policy.DEFAULT.stall());
    var low = Policy.DEFAULT.withStall(Duration.ofSeconds(15));
    assertThat(of(job(), low, pace(900, 950, SIX_HOURS)).timeout())
        .isEqualTo(Duration.ofSeconds(15));
  }

  @Test
  void shouldFallBackToThePolicyWhereTooLittleIsKnown() {
    for (var pace :
        List.of(
            new Pace(19, 200, 900, 950, 100, 31, false),
            new Pace(200, 4, 900, 950, 100, 31, false),
            new Pace(200, 200, 900, 950, 100, 31, true))) {
      var threshold = of(job(), Policy.DEFAULT, pace);
      assertThat(threshold.timeout()).as("%s", pace).isEqualTo(Policy.DEFAULT.stall());
      assertThat(threshold.learnt()).isFalse();
    }
    assertThat(of(job(), Policy.DEFAULT, Given.ranks(PODS, 42L, STEPPED, NOW)).timeout())
        .as("agents that do not measure")
        .isEqualTo(Policy.DEFAULT.stall());
  }

  /** A bar without a line break comes in pieces of 16 KiB: one says how long the next will take. */
  @Test
  void shouldWaitForTheNextPieceOfABarBeforeItsIntervalsAreKnown() {
    var pace = new Pace(0, 1, 0, 1_620_000, 0, 31, false);
    assertThat(of(job(), Policy.DEFAULT, pace).timeout()).isEqualTo(Duration.ofSeconds(2_430));
    assertThat(of(job().stallTimeout(Duration.ofSeconds(7)), Policy.DEFAULT, pace).timeout())
        .isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void shouldBelieveTheRankThatKnowsMostOfPauses() {
    List<RankView> ranks = new ArrayList<>(ranks(PODS, 42L, STEPPED, NOW, pace(900, 950, 100)));
    ranks.set(1, ranks.get(1).withPace(pace(900, 80_000, 100)));
    assertThat(of(job(), Policy.DEFAULT, ranks).timeout()).isEqualTo(Duration.ofSeconds(160));
    ranks.set(2, ranks.get(2).withPace(new Pace(9, 9, 1, 1, 1, 1, true)));
    assertThat(of(job(), Policy.DEFAULT, ranks).timeout())
        .as("one announces a pause")
        .isEqualTo(Policy.DEFAULT.stall());
  }

  /** A node that has died is NotReady half a minute later, and its pods are Running until then. */
  @Test
  void shouldLeaveItToTheSilentNodeWhereAnAgentIsSilent() {
    var pace = pace(900, 950, 100);
    List<RankView> ranks = new ArrayList<>(ranks(PODS, 42L, STEPPED, NOW, pace));
    assertThat(of(job(), Policy.DEFAULT, ranks).learnt()).isTrue();
    ranks.set(2, ranks.get(2).withObservedTime(STEPPED.plusSeconds(9)));
    assertThat(of(job(), Policy.DEFAULT, ranks).learnt()).isFalse();
    ranks.set(2, ranks.get(2).withObservedTime(STEPPED.plusSeconds(11)));
    assertThat(of(job(), Policy.DEFAULT, ranks).learnt()).isTrue();
    ranks.remove(2);
    assertThat(of(job(), Policy.DEFAULT, ranks).learnt()).isFalse();
  }

  private static RecoveryView stalledAt(String name, long step, Instant when) {
    return recovery(
        name,
        when,
        new RecoveryStatus(
            RecoveryPhase.RECOVERED,
            when,
            1,
            null,
            new Cause(Cause.STALLED, "", List.of(), List.of(), List.of(), List.of(), step),
            null,
            null,
            List.of(new TimelineEntry(RecoveryPhase.DRAINING, when, "")),
            List.of()));
  }

  /** Nothing was restarted for it. */
  private static RecoveryView refutedAt(String name, long step, Instant when) {
    RecoveryStatus status = Objects.requireNonNull(stalledAt(name, step, when).status());
    Cause cause = Objects.requireNonNull(status.cause());
    var trains = new StallFinding("unknown", "low", List.of(), List.of(), 3, true, null);
    return recovery(
        name,
        when,
        status
            .withPhase(RecoveryPhase.CANCELLED)
            .withTimeline(List.of())
            .withCause(cause.withStall(trains)));
  }

  @Test
  void shouldBeSlowerWhereTheDumpsHaveShownThatTheJobTrains() {
    var pace = pace(900, 950, 100);
    Instant recent = NOW.minusSeconds(300);
    assertThat(of(job(), Policy.DEFAULT, pace, refutedAt("r1", 42, recent)).timeout())
        .isEqualTo(Duration.ofMinutes(2));
    assertThat(of(job(), Policy.DEFAULT, pace, refutedAt("r1", 41, recent)).timeout())
        .as("it has made a step since")
        .isEqualTo(Duration.ofSeconds(30));
    Instant old = NOW.minus(Policy.DEFAULT.budgetWindow()).minusSeconds(1);
    assertThat(of(job(), Policy.DEFAULT, pace, refutedAt("r1", 42, old)).timeout())
        .isEqualTo(Duration.ofSeconds(30));
  }

  /** What it took for a stall may have been a pause, which was cut off and is not learnt. */
  @Test
  void shouldBeSlowerAfterAStallUntilTheJobHasPassedItsStep() {
    var pace = pace(900, 950, 100);
    Instant recent = NOW.minusSeconds(300);
    assertThat(of(job(), Policy.DEFAULT, pace, stalledAt("r1", 42, recent)).timeout())
        .isEqualTo(Duration.ofMinutes(2));
    assertThat(
            of(
                    job(),
                    Policy.DEFAULT,
                    pace,
                    stalledAt("r1", 42, recent),
                    stalledAt("r2", 43, recent))
                .timeout())
        .isEqualTo(Duration.ofMinutes(8));
    assertThat(of(job(), Policy.DEFAULT, pace, stalledAt("r1", 41, recent)).timeout())
        .as("passed since")
        .isEqualTo(Duration.ofSeconds(30));
    Instant old = NOW.minus(Policy.DEFAULT.budgetWindow()).minusSeconds(1);
    assertThat(of(job(), Policy.DEFAULT, pace, stalledAt("r1", 42, old)).timeout())
        .isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void shouldSayInTheCauseWhatTheThresholdIsMadeOf() {
    List<RankView> ranks = ranks(PODS, 42L, STEPPED, NOW, pace(900, 12_345, 100));
    var s = new JobSnapshot(job().view(), PODS, nodes(), List.of(), ranks, List.of());
    var verdict = Stalls.stalled(s, Policy.DEFAULT, NOW).orElseThrow();
    assertThat(((Verdict.Recover) verdict).cause().evidence())
        .singleElement()
        .extracting(RecoveryStatus.Evidence::text)
        .isEqualTo(
            "a stall after 30 s: 99 % of intervals took at most 0.9 s, the longest 12 s,"
                + " 100 s trained");
  }

  @Test
  void shouldNotCallAStallWhatTheAgentItselfHasNotSeenStandSoLong() {
    List<RankView> ranks =
        ranks(PODS, 42L, STEPPED, NOW, new Pace(200, 200, 900, 950, 100, 12, false));
    var s = new JobSnapshot(job().view(), PODS, nodes(), List.of(), ranks, List.of());
    assertThat(Stalls.stalled(s, Policy.DEFAULT, NOW).orElseThrow())
        .as("the clock of its node was set forward")
        .isEqualTo(new Verdict.Watch("trains", NOW.plusSeconds(18)));
  }
}
