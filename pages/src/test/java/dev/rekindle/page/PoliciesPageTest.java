package dev.rekindle.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CostPolicy;
import dev.rekindle.api.CostPolicy.ModelPrice;
import dev.rekindle.api.MaintenancePolicy;
import dev.rekindle.api.MaintenancePolicy.Window;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RecoveryPolicyStatus;
import dev.rekindle.page.ListPage.Filter;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Pause, windows, prices and approvals as people see them. */
class PoliciesPageTest {
  private static final PageRenderer PAGES = new PageRenderer(Links.SERVED);

  /** A Sunday. */
  private static final Instant NOW = Samples.T0;

  private static RecoveryPolicy policy(RecoveryPolicySpec spec) {
    RecoveryPolicy policy = new RecoveryPolicy();
    policy.setMetadata(new ObjectMetaBuilder().withName("default").build());
    policy.setSpec(spec);
    return policy;
  }

  private static RecoveryPolicySpec spec(
      @Nullable Boolean paused, @Nullable MaintenancePolicy windows, @Nullable CostPolicy cost) {
    return new RecoveryPolicySpec(
        null, null, null, null, null, null, null, paused, windows, cost, null);
  }

  private static MaintenancePolicy windows(String start, String... days) {
    return new MaintenancePolicy(
        "Europe/Berlin", List.of(new Window(List.of(days), start, 90)), MaintenancePolicy.WAIT);
  }

  private static String seen(PolicyRow row, List<RecoveryRow> recoveries) {
    return PAGES
        .policies(PoliciesPage.of(List.of(row), recoveries), "")
        .replaceAll("(?s)<(style|script)>.*?</\\1>", " ")
        .replaceAll("<[^>]*>", " ")
        .replaceAll("\\s+", " ");
  }

  private static String seen(RecoveryPolicySpec spec) {
    return seen(PolicyRow.of(policy(spec), NOW), List.of());
  }

  @Test
  void shouldSayWhatHoldsWhereNothingIsSet() {
    assertThat(seen(RecoveryPolicySpec.NONE))
        .contains("default auto no at any time none 24 h not set");
    assertThat(PolicyRow.of(policy(RecoveryPolicySpec.NONE), NOW).notice()).isEmpty();
  }

  @Test
  void shouldShowAPause() {
    PolicyRow row = PolicyRow.of(policy(spec(true, null, null)), NOW);
    assertThat(seen(row, List.of())).contains("default auto ‖ paused");
    assertThat(row.notice()).contains("RecoveryPolicy default is paused: nothing new is begun");
  }

  @Test
  void shouldSayWhenAWindowOpensAndWhenTheOpenOneEnds() {
    // 10:00 UTC is 11:00 in Berlin.
    assertThat(seen(spec(null, windows("22:00", "Mon", "Sat"), null)))
        .contains("not before 2026-03-02 21:00:00 UTC")
        .contains("Mon Sat 22:00 for 1 h 30 min, Europe/Berlin; jobs that stand still wait too");
    PolicyRow open = PolicyRow.of(policy(spec(null, windows("10:30"), null)), NOW);
    assertThat(seen(open, List.of()))
        .contains("now, until 2026-03-01 11:00:00 UTC every day 10:30 for 1 h 30 min");
    assertThat(open.notice()).isEmpty();
    assertThat(PolicyRow.of(policy(spec(null, windows("22:00"), null)), NOW).notice())
        .hasValueSatisfying(n -> assertThat(n).contains("no window open", "not before"));
  }

  @Test
  void shouldShowAPolicyThatIsNotUsedWithoutBreakingOnIt() {
    RecoveryPolicy policy =
        policy(spec(null, new MaintenancePolicy("Mars/Base", List.of(), null), null));
    policy.setStatus(
        new RecoveryPolicyStatus(
            List.of(
                new ConditionBuilder()
                    .withType("Accepted")
                    .withStatus("False")
                    .withMessage("maintenance.timeZone is no zone <b>")
                    .build()),
            null));
    assertThat(PAGES.policies(PoliciesPage.of(List.of(PolicyRow.of(policy, NOW)), List.of()), ""))
        .contains("not used: <bdi>maintenance.timeZone is no zone &lt;b&gt;</bdi>");
  }

  @Test
  void shouldShowPrices() {
    assertThat(
            seen(
                spec(
                    null,
                    null,
                    new CostPolicy("EUR", 2.5, List.of(new ModelPrice("NVIDIA-H100", 3.0))))))
        .contains("NVIDIA-H100: 3.00 EUR; other models: 2.50 EUR");
  }

  private static Recovery approved(String status, String message) {
    Recovery recovery = Samples.awaitingApproval();
    var now = Objects.requireNonNull(recovery.getStatus());
    var conditions = new ArrayList<>(now.conditions());
    conditions.add(
        new ConditionBuilder()
            .withType("Approved")
            .withStatus(status)
            .withMessage(message)
            .build());
    recovery.setStatus(now.withConditions(conditions));
    return recovery;
  }

  @Test
  void shouldListTheOpenRecoveriesAboutWhichAPersonIsAsked() {
    PolicyRow row = PolicyRow.of(policy(RecoveryPolicySpec.NONE), NOW);
    assertThat(
            seen(
                row,
                List.of(
                    RecoveryRow.of(Samples.recovered()),
                    RecoveryRow.of(approved("True", "good until 2026-03-02T10:00:00Z")))))
        .contains("llm-r2 ml ‖ Held AwaitingApproval approved, good until 2026-03-02T10:00:00Z")
        .doesNotContain("llm-r1");
    assertThat(seen(row, List.of(RecoveryRow.of(approved("False", "given at noon")))))
        .contains("the approval has expired, given at noon");
  }

  @Test
  void shouldShowTheApprovalOnThePageOfTheRecovery() {
    assertThat(
            PAGES.markdown(
                new Incident(approved("True", "good until then"), List.of(), Samples.at(9))))
        .contains("## Approval", "- By a person: approved, good until then");
  }

  @Test
  void shouldShowNoticesAboveTheList() {
    ListPage page =
        new ListPage(List.of(), Filter.NONE, "", 0, List.of("default is paused \u202Enow"));
    assertThat(PAGES.list(page, "")).contains("<bdi>default is paused ‹U+202E›now</bdi>");
  }
}
