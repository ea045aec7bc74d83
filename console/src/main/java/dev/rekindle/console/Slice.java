package dev.rekindle.console;

import dev.rekindle.page.RecoveryRow;
import java.util.List;
import java.util.Optional;

/**
 * A part of a list.
 *
 * @param rows in order
 * @param next where it continues; empty at its end
 * @param total how many there are in all
 */
record Slice(List<RecoveryRow> rows, Optional<Cursor> next, int total) {
  Slice {
    rows = List.copyOf(rows);
  }
}
