package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class WitnessFusionTest {
  private static StallReport report(
      StallClass stallClass, Confidence confidence, Integer... ranks) {
    return new StallReport(
        Arrays.stream(ranks).map(rank -> new Culprit(rank, "r")).toList(),
        stallClass,
        confidence,
        List.of("seen " + Arrays.toString(ranks)));
  }

  private static final StallReport NONE = report(StallClass.UNKNOWN, Confidence.LOW);

  private static StallReport fuse(StallReport dumps, StallReport logs) {
    return WitnessFusion.of(Optional.of(dumps), Optional.of(logs), RasFinding.NONE);
  }

  private static List<Integer> named(StallReport report) {
    return report.culprits().stream().map(Culprit::rank).toList();
  }

  @Test
  void shouldNameNoRankWhereDumpsAndLogsDisagree() {
    var fused =
        fuse(
            report(StallClass.HOST, Confidence.HIGH, 2),
            report(StallClass.DEVICE_OR_LINK, Confidence.MEDIUM, 5));
    assertThat(fused.culprits()).isEmpty();
    assertThat(fused.stallClass()).isEqualTo(StallClass.UNKNOWN);
    assertThat(fused.confidence()).isEqualTo(Confidence.LOW);
    assertThat(fused.evidence())
        .containsExactly(
            "witnesses disagree: dumps name rank 2, logs name rank 5", "seen [2]", "seen [5]");
  }

  @Test
  void shouldBeSurerWhereDumpsAndLogsAgree() {
    var logs = report(StallClass.HOST, Confidence.LOW, 2);
    var fused = fuse(report(StallClass.HOST, Confidence.MEDIUM, 2), logs);
    assertThat(named(fused)).containsExactly(2);
    assertThat(fused.confidence()).isEqualTo(Confidence.HIGH);
    var some = fuse(report(StallClass.HOST, Confidence.MEDIUM, 2, 3), logs);
    assertThat(named(some)).as("dumps come first").containsExactly(2, 3);
    assertThat(some.confidence()).isEqualTo(Confidence.MEDIUM);
  }

  @Test
  void shouldTakeWhatOneOfThemNames() {
    var host = report(StallClass.HOST, Confidence.MEDIUM, 2);
    assertThat(named(fuse(host, NONE))).containsExactly(2);
    assertThat(named(fuse(NONE, host))).containsExactly(2);
    var alone = WitnessFusion.of(Optional.empty(), Optional.of(host), RasFinding.NONE);
    assertThat(named(alone)).containsExactly(2);
    assertThat(WitnessFusion.of(Optional.empty(), Optional.empty(), RasFinding.NONE).stallClass())
        .isEqualTo(StallClass.UNKNOWN);
  }

  /** All ranks have joined by their dumps: one that did not time out is no culprit for that. */
  @Test
  void shouldLetDumpsAcquitARankThatLogsNameWeakly() {
    var network = report(StallClass.NETWORK, Confidence.LOW);
    var weak = fuse(network, report(StallClass.HOST, Confidence.LOW, 2));
    assertThat(weak.culprits()).isEmpty();
    assertThat(weak.stallClass()).isEqualTo(StallClass.NETWORK);
    var device = report(StallClass.DEVICE_OR_LINK, Confidence.MEDIUM, 2);
    assertThat(named(fuse(network, device))).containsExactly(2);
    assertThat(fuse(report(StallClass.PROGRAM, Confidence.LOW), device).culprits()).isEmpty();
    assertThat(fuse(network, NONE).stallClass()).isEqualTo(StallClass.NETWORK);
  }

  @Test
  void shouldCallAMismatchInLogsTheProgramsFaultWhateverDumpsSay() {
    var mismatch = report(StallClass.PROGRAM, Confidence.LOW);
    var fused = fuse(report(StallClass.HOST, Confidence.HIGH, 2), mismatch);
    assertThat(fused.stallClass()).isEqualTo(StallClass.PROGRAM);
    assertThat(named(fused)).containsExactly(2);
    assertThat(fuse(NONE, mismatch).stallClass()).isEqualTo(StallClass.PROGRAM);
  }

  @Test
  void shouldNameNoRankByRasAloneAndBeSurerWhereItAgrees() {
    var ras = new RasFinding(new TreeSet<>(List.of(2)), List.of("RAS: x"));
    var alone = WitnessFusion.of(Optional.empty(), Optional.empty(), ras);
    assertThat(alone.culprits()).isEmpty();
    assertThat(alone.evidence()).contains("RAS: x");
    var host = report(StallClass.HOST, Confidence.MEDIUM, 2);
    assertThat(WitnessFusion.of(Optional.of(host), Optional.empty(), ras).confidence())
        .isEqualTo(Confidence.HIGH);
    assertThat(WitnessFusion.of(Optional.empty(), Optional.of(host), ras).confidence())
        .as("logs are never sure")
        .isEqualTo(Confidence.MEDIUM);
    var other = report(StallClass.HOST, Confidence.LOW, 3);
    assertThat(WitnessFusion.of(Optional.empty(), Optional.of(other), ras))
        .as("it acquits no rank")
        .matches(fused -> named(fused).equals(List.of(3)))
        .matches(fused -> fused.confidence() == Confidence.LOW);
  }
}
