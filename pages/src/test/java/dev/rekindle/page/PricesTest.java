package dev.rekindle.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.ComeBacks;
import dev.rekindle.api.LostGpuSeconds;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.detect.policy.GpuPrices;
import dev.rekindle.page.ListPage.Filter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What recoveries have cost, on the list and on the page of one. */
class PricesTest {
  private static final PageRenderer PAGES = new PageRenderer(Links.SERVED);

  private static final Pricing BY_MODEL =
      new Pricing(
          new GpuPrices("EUR", 2.0, Map.of("H100", 3.0)),
          Map.of("node-05", "H100", "node-06", "H100"));

  /** An hour of GPUs in all, of which 2304 s stood still. */
  private static Recovery anHour() {
    Recovery recovery = Samples.recovered();
    RecoveryStatus status = Objects.requireNonNull(recovery.getStatus());
    recovery.setStatus(
        status.withOutcome(
            new Outcome(
                150L,
                151L,
                10L,
                2304.0,
                12.0,
                Map.of(),
                null,
                new LostGpuSeconds(96, 2304, 1200),
                "",
                null,
                null)));
    return recovery;
  }

  private static String page(Recovery recovery, Pricing pricing) {
    return seen(
        PAGES.recoveries(
            "test", List.of(new Incident(recovery, List.of(), Samples.at(60), pricing))));
  }

  private static String seen(String html) {
    return html.replaceAll("(?s)<(style|script)>.*?</\\1>", " ")
        .replaceAll("<[^>]*>", " ")
        .replaceAll("\\s+", " ");
  }

  private static String list(int total, List<RecoveryRow> rows) {
    return seen(PAGES.list(new ListPage(rows, Filter.NONE, "", total, List.of()), ""));
  }

  @Test
  void shouldPriceAllThatWasLostByTheModelOfTheGang() {
    assertThat(page(anHour(), BY_MODEL))
        .contains("GPUs idle 38.4 GPU-minutes")
        .contains("Lost in all 1.00 GPU-hours Price 3.00 EUR");
  }

  @Test
  void shouldTakeThePriceOfOtherModelsWhereTheNodesAreNotKnown() {
    Pricing other = new Pricing(BY_MODEL.prices(), Map.of());
    assertThat(page(anHour(), other)).contains("Price 2.00 EUR");
  }

  @Test
  void shouldSayThatThereIsNoPriceAndInventNone() {
    Pricing others = new Pricing(new GpuPrices("EUR", null, Map.of("H200", 9.0)), Map.of());
    assertThat(page(anHour(), others)).contains("Price not known: GPUs of this model have none");
    assertThat(page(anHour(), Pricing.NONE)).doesNotContain("Price");
  }

  @Test
  void shouldCountEachTimeThatKubeletsBroughtTheGangBack() {
    Recovery again = anHour();
    again.setStatus(
        Objects.requireNonNull(again.getStatus())
            .withComeBacks(new ComeBacks(3, Samples.T0, Samples.T0)));
    assertThat(page(again, BY_MODEL))
        .contains("Lost in all 3.00 GPU-hours, 3 times together Price 9.00 EUR");
    assertThat(RecoveryRow.of(again).priced(BY_MODEL).cost()).isEqualTo(9.0);
  }

  @Test
  void shouldAddUpWhatIsShownOnTheListAndSayOfHowMany() {
    RecoveryRow row = RecoveryRow.of(anHour()).priced(BY_MODEL);
    assertThat(list(2, List.of(row, row)))
        .contains("2 recoveries; 0 held, mean time down 12.0 s, 2.00 GPU-hours lost, 6.00 EUR.")
        .contains("1.00 GPU-hours 3.00 EUR");
    assertThat(list(700, List.of(row))).contains("700 recoveries; of the 1 shown 0 held");
    assertThat(list(1, List.of(RecoveryRow.of(anHour())))).doesNotContain("EUR");
  }
}
