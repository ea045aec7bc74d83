package dev.rekindle.page;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * A list of recoveries: those that wait for something first, then the open ones, then by time.
 *
 * @param rows in order
 * @param filter what they are of
 * @param more link to the next ones; empty where there are none
 * @param total how many there are with this filter, on all pages
 * @param notices what stands against a recovery now, or is missing in this list; a sentence each
 */
public record ListPage(
    List<RecoveryRow> rows, Filter filter, String more, int total, List<String> notices) {
  /** The order of every list. */
  public static final Comparator<RecoveryRow> ORDER =
      Comparator.comparing((RecoveryRow r) -> !r.held())
          .thenComparing(r -> !r.open())
          .thenComparing(RecoveryRow::began, Comparator.reverseOrder())
          .thenComparing(RecoveryRow::namespace)
          .thenComparing(RecoveryRow::name);

  public ListPage {
    rows = List.copyOf(rows);
    notices = notices.stream().map(VisibleText::of).toList();
  }

  /**
   * Which recoveries are listed; an empty word is no condition.
   *
   * @param namespace of that namespace
   * @param cause of that cause
   * @param node about that node
   * @param phase in that phase
   */
  public record Filter(String namespace, String cause, String node, String phase) {
    /** No condition. */
    public static final Filter NONE = new Filter("", "", "", "");

    /** Whether each recovery of the namespace fits, or of all where none is named. */
    public boolean isOfAll() {
      return cause.isEmpty() && node.isEmpty() && phase.isEmpty();
    }

    /** Whether a recovery is of these. */
    public boolean fits(RecoveryRow row) {
      return is(namespace, row.namespace())
          && is(cause, row.reason())
          && is(phase, row.phase())
          && (node.isEmpty() || row.nodes().contains(node));
    }

    private static boolean is(String wanted, String word) {
      return wanted.isEmpty() || wanted.equalsIgnoreCase(word);
    }
  }

  /** All of these recoveries on one page. */
  public static ListPage of(List<RecoveryRow> rows) {
    return new ListPage(
        rows.stream().sorted(ORDER).toList(), Filter.NONE, "", rows.size(), List.of());
  }

  long held() {
    return rows.stream().filter(RecoveryRow::held).count();
  }

  String meanDowntime() {
    return rows.stream()
        .map(RecoveryRow::downtimeSeconds)
        .filter(Objects::nonNull)
        .mapToDouble(Double::doubleValue)
        .average()
        .stream()
        .mapToObj(Figures::time)
        .findFirst()
        .orElse("not known");
  }

  String lost() {
    return Figures.gpuTime(
        rows.stream()
            .map(RecoveryRow::lostGpuSeconds)
            .filter(Objects::nonNull)
            .mapToDouble(Double::doubleValue)
            .sum());
  }

  /** The cost of those with a known price, after a comma; empty if none has one. */
  String cost() {
    List<RecoveryRow> priced = rows.stream().filter(r -> r.cost() != null).toList();
    double sum = priced.stream().mapToDouble(r -> Objects.requireNonNull(r.cost())).sum();
    return priced.isEmpty() ? "" : ", " + Figures.money(sum, priced.getFirst().currency());
  }

  /** What the figures are of. */
  String shown() {
    return rows.size() < total ? "of the %d shown ".formatted(rows.size()) : "";
  }
}
