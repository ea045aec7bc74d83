package dev.rekindle.page;

import java.util.List;

/**
 * What is allowed now: policies, and recoveries that a person was or is asked about.
 *
 * @param policies by name, {@code default} first
 * @param asked recoveries that wait for an approval, or have one
 */
public record PoliciesPage(List<PolicyRow> policies, List<RecoveryRow> asked) {
  public PoliciesPage {
    policies = List.copyOf(policies);
    asked = List.copyOf(asked);
  }

  /**
   * Of all policies, and of all recoveries those that are open and about which a person is asked.
   */
  public static PoliciesPage of(List<PolicyRow> policies, List<RecoveryRow> recoveries) {
    return new PoliciesPage(
        policies,
        recoveries.stream().filter(RecoveryRow::asksAPerson).sorted(ListPage.ORDER).toList());
  }
}
