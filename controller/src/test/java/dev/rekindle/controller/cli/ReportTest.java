package dev.rekindle.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rekindle.api.ComeBacks;
import dev.rekindle.api.CostPolicy;
import dev.rekindle.api.CostPolicy.ModelPrice;
import dev.rekindle.api.JobRef;
import dev.rekindle.api.LostGpuSeconds;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.controller.cli.Report.By;
import dev.rekindle.detect.Csv;
import dev.rekindle.detect.policy.GpuPrices;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReportTest {
  private static final Instant NOW = Instant.parse("2026-11-21T06:00:00Z");
  private static final Instant FROM = NOW.minus(Duration.ofDays(30));
  private static final GpuPrices PRICES =
      GpuPrices.of(
          new CostPolicy(
              "EUR", 2.0, List.of(new ModelPrice("H100", 3.0), new ModelPrice("A", 1.0))));

  /** A recovery of 8 GPUs that has cost so many seconds of them. */
  private static ListedRecovery recovery(
      String namespace, String job, Instant at, String cause, List<String> blamed, double seconds) {
    return recovery(
        namespace, job, at, cause, blamed, RecoveryPhase.RECOVERED, lost(seconds, at), null);
  }

  private static Outcome lost(double seconds, Instant at) {
    return new Outcome(
        null,
        null,
        null,
        1.0,
        seconds / 8,
        Map.of(),
        null,
        new LostGpuSeconds(seconds / 2, seconds / 4, seconds / 4),
        "",
        null,
        new TrainingTime(at.minusSeconds(1_000), at, 1, 200, 0, 0, 0));
  }

  private static ListedRecovery recovery(
      String namespace,
      String job,
      Instant at,
      String cause,
      List<String> blamed,
      RecoveryPhase phase,
      @Nullable Outcome outcome,
      @Nullable ComeBacks backs) {
    return new ListedRecovery(
        namespace,
        job + "-r1",
        at,
        new RecoverySpec(JobRef.pyTorchJob(job, "uid-" + namespace + job), at, null),
        new RecoveryStatus(
            phase,
            at,
            1,
            null,
            new Cause(cause, "", List.of(), blamed, List.of(), List.of(), null),
            new Plan(null, "", List.of(), List.of("n7"), Map.of(), null),
            outcome,
            List.of(),
            List.of(),
            backs));
  }

  private static Report report(List<ListedRecovery> all, By by, GpuPrices prices) {
    return Report.of(all, by, FROM, NOW, prices, Map.of("n7", "H100"));
  }

  private static List<ListedRecovery> some() {
    return List.of(
        recovery("a", "llm", NOW.minusSeconds(90), "XID-79", List.of("n6"), 3_600),
        recovery("a", "llm", NOW.minusSeconds(50), "Stalled", List.of(), 7_200),
        recovery("b", "llm", NOW.minusSeconds(40), "XID-79", List.of("n6", "n8"), 36_000),
        recovery("b", "old", FROM.minusMillis(1), "XID-79", List.of("n6"), 99_999));
  }

  @ParameterizedTest
  @CsvSource({
    "job, b/llm 10.00 30.00 | a/llm 3.00 9.00",
    "namespace, b 10.00 30.00 | a 3.00 9.00",
    "cause, XID-79 11.00 33.00 | Stalled 2.00 6.00",
    "node, n6 6.00 18.00 | n8 5.00 15.00 | (none) 2.00 6.00"
  })
  void shouldAddUpWhatRecoveriesSay(By by, String rows) {
    Report report = report(some(), by, PRICES);

    assertThat(report.rows().stream().map(r -> cells(report, r)).toList())
        .containsExactlyElementsOf(split(rows, " \\| "));
    assertThat(report.total().recoveries()).as("the one before is left out").isEqualTo(3);
    assertThat(report.total().gpuHours()).isEqualTo(13.0);
    assertThat(report.total().money()).isEqualTo(39.0);
  }

  private static List<String> split(String text, String between) {
    return Pattern.compile(between).splitAsStream(text).toList();
  }

  private static String cells(Report report, ReportRow row) {
    List<String> cells = row.cells(report);
    return cells.get(0) + " " + cells.get(3) + " " + cells.get(4);
  }

  /** Shares of nodes and of jobs are parts of one whole. */
  @ParameterizedTest
  @EnumSource(By.class)
  void shouldAddUpToItsTotal(By by) {
    SplittableRandom random = new SplittableRandom(by.name().hashCode());
    for (int i = 0; i < 200; i++) {
      List<ListedRecovery> all = new ArrayList<>();
      for (int k = random.nextInt(12); k > 0; k--) {
        List<String> blamed = random.nextBoolean() ? List.of() : List.of("n" + k, "n1", "n2");
        all.add(
            recovery(
                "ns" + random.nextInt(3),
                "j" + random.nextInt(3),
                NOW.minusSeconds(random.nextInt(5_000_000)),
                "c" + random.nextInt(3),
                blamed.stream().distinct().toList(),
                random.nextInt(10_000)));
      }
      Report report = report(all, by, PRICES);

      assertThat(report.rows().stream().mapToDouble(ReportRow::gpuHours).sum())
          .isCloseTo(report.total().gpuHours(), within(1e-9));
      assertThat(report.rows().stream().mapToDouble(ReportRow::money).sum())
          .isCloseTo(report.total().money(), within(1e-9));
      assertThat(report.total().recoveries())
          .isEqualTo(
              (int)
                  all.stream()
                      .filter(r -> !Objects.requireNonNull(r.created()).isBefore(FROM))
                      .count());
    }
  }

  @Test
  void shouldGiveTheMiddleAndWhatMostDoNotExceed() {
    List<ListedRecovery> all = new ArrayList<>();
    for (int i = 21; i > 0; i--) {
      all.add(recovery("a", "llm", NOW, "XID-79", List.of(), 8.0 * i));
    }
    ReportRow row = report(all, By.job, PRICES).total();

    assertThat(row.medianDowntime()).hasValue(11);
    assertThat(row.p95Downtime()).hasValue(20);
  }

  /** The newest sum of a job has the older ones in it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldTakeTheNewestTimeOfEachJob(boolean newestFirst) {
    TrainingTime older = new TrainingTime(FROM, FROM.plusSeconds(1_000), 1, 900, 0, 0, 0);
    TrainingTime newer = new TrainingTime(FROM, FROM.plusSeconds(3_000), 2, 1_000, 0, 0, 0);
    TrainingTime other = new TrainingTime(FROM, FROM.plusSeconds(1_000), 1, 0, 0, 0, 0);
    List<ListedRecovery> all = new ArrayList<>();
    all.add(trained("llm", newestFirst ? newer : older));
    all.add(trained("llm", newestFirst ? older : newer));
    all.add(trained("other", other));

    assertThat(report(all, By.namespace, PRICES).total().ettr()).hasValue(3_000.0 / 4_000);
  }

  private static ListedRecovery trained(String job, TrainingTime time) {
    Outcome outcome = new Outcome(null, null, null, 1.0, 1.0, Map.of(), null, null, "", null, time);
    return recovery("a", job, NOW, "XID-79", List.of(), RecoveryPhase.RECOVERED, outcome, null);
  }

  @Test
  void shouldCountEachTimeThatKubeletsBroughtAGangBack() {
    Outcome outcome = new Outcome(null, 7L, null, 1_800.0, 225.0, Map.of());
    Report report =
        report(
            List.of(
                recovery(
                    "a",
                    "llm",
                    FROM.minusSeconds(9),
                    "ContainerEnded",
                    List.of(),
                    RecoveryPhase.RECOVERED,
                    outcome,
                    new ComeBacks(4, FROM.minusSeconds(9), NOW))),
            By.job,
            PRICES);

    assertThat(report.total().gpuHours()).isEqualTo(2.0);
    assertThat(report.notes()).anyMatch(n -> n.contains("again and again"));
  }

  @Test
  void shouldSayWhatIsNotInIt() {
    Report report =
        report(
            List.of(
                recovery("a", "x", NOW, "", List.of(), RecoveryPhase.HELD, null, null),
                recovery("a", "y", NOW, "", List.of(), RecoveryPhase.FAILED, null, null)),
            By.cause,
            PRICES);

    assertThat(report.notes())
        .contains(Report.KEPT, "1 of 2 is not over: its loss is not in it yet")
        .anyMatch(n -> n.startsWith("1 of 2 is over without figures"));
    assertThat(report.rows().getFirst().key()).isEqualTo("(none)");
    assertThat(ReportText.table(report)).contains("Recoveries that were deleted are not in it");
  }

  @Test
  void shouldShowMoneyOnlyWhereThereIsAPrice() {
    Report without = report(some(), By.job, GpuPrices.NONE);
    Report models = report(some(), By.job, new GpuPrices("EUR", null, Map.of("H200", 4.0)));

    assertThat(ReportText.table(without)).doesNotContain("USD", "EUR", "price");
    assertThat(ReportText.table(report(some(), By.job, PRICES))).contains("   EUR   ");
    assertThat(models.total().unpricedGpuHours()).isEqualTo(13.0);
    assertThat(models.notes()).anyMatch(n -> n.startsWith("13.00 GPU-hours have no price"));
  }

  @ParameterizedTest
  @CsvSource({"n1, 3.0", "'n1,n2', 2.0", "gone, 2.0", "'n1,gone', 3.0", "'n3', 2.0"})
  void shouldPriceAGangByTheModelsOfItsNodes(String nodes, double price) {
    Map<String, String> products = Map.of("n1", "H100", "n2", "A", "n3", "unlisted");

    assertThat(PRICES.ofGang(split(nodes, ","), products)).hasValue(price);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "=HYPERLINK(\"http://x\")",
        "+1",
        "-1+2",
        "@SUM(A1)",
        "\t=1",
        "a|b",
        "[x](http://y)",
        "<script>",
        "a\nb,c",
        "`$(x)`",
        "\u202Eevil"
      })
  void shouldEscapeWhatIsNoName(String hostile) {
    Report report = report(List.of(recovery("a", hostile, NOW, "", List.of(), 1)), By.job, PRICES);
    Report ofCause =
        report(List.of(recovery("a", "x", NOW, hostile, List.of(), 1)), By.cause, PRICES);

    for (Report each : List.of(report, ofCause)) {
      Csv csv = new Csv(ReportText.csv(each));
      int columns = csv.next().orElseThrow().fields().size();
      List<String> row = csv.next().orElseThrow().fields();
      assertThat(row).hasSize(columns);
      assertThat(row.getFirst()).doesNotMatch("[=+@\\-\\t\\r].*").doesNotContain("\n", "\u202E");
      assertThat(csv.next().orElseThrow().fields().getFirst()).isEqualTo("TOTAL");
      assertThat(csv.next()).isEmpty();
      List<String> lines = ReportText.markdown(each).lines().toList();
      assertThat(lines.get(2).replaceAll("\\\\.", "").chars().filter(c -> c == '|'))
          .as(lines.get(2))
          .hasSize(columns + 1);
      assertThat(lines.get(2).replaceAll("\\\\.", "")).doesNotContain("<", "[", "`");
      assertThat(ReportText.table(each).lines().skip(2).findFirst())
          .hasValueSatisfying(total -> assertThat(total).startsWith("TOTAL"));
    }
  }

  @Test
  void shouldReportNothingAsNothing() {
    Report report = report(List.of(), By.node, PRICES);

    assertThat(report.rows()).isEmpty();
    assertThat(ReportText.csv(report).lines())
        .containsExactly(
            "NODE,RECOVERIES,RECOVERED,GPU-HOURS,EUR,MEDIAN,P95", "TOTAL,0,0,0.00,0.00,,");
  }
}
