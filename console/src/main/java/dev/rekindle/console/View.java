package dev.rekindle.console;

import dev.rekindle.page.FaultRow;
import dev.rekindle.page.FleetPage;
import dev.rekindle.page.RecoveryRow;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The recoveries of the namespaces that a visitor may see, as they are between two changes. */
final class View {
  private final List<RecoveryRow> rows;
  private final Derived<FleetPage> fleet;

  /**
   * @param rows in the order of a list
   * @param faultChanges how often faults have changed
   * @param faults rows of all faults
   */
  View(List<RecoveryRow> rows, LongSupplier faultChanges, Supplier<List<FaultRow>> faults) {
    List<RecoveryRow> kept = List.copyOf(rows);
    this.rows = kept;
    this.fleet = new Derived<>(faultChanges, () -> FleetPage.of(faults.get(), kept));
  }

  /** In the order of a list. */
  List<RecoveryRow> rows() {
    return rows;
  }

  /** The fleet, with these recoveries. */
  FleetPage fleet() {
    return fleet.get();
  }
}
