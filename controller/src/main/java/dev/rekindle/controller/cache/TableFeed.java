package dev.rekindle.controller.cache;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes views into a table and reports those that changed, with the old and the new view. */
class TableFeed<V> implements ViewFeed<V> {
  private final Table<V> table;
  private final Consumer<V> changed;

  TableFeed(Table<V> table, Consumer<V> changed) {
    this.table = table;
    this.changed = changed;
  }

  @Override
  public void present(String key, @Nullable String resourceVersion, V view) {
    Table.Write<V> write = table.put(key, resourceVersion, view);
    if (write.applied() && !view.equals(write.previous())) {
      report(write.previous());
      report(view);
    }
  }

  @Override
  public void gone(String key, @Nullable String resourceVersion) {
    report(table.remove(key, resourceVersion));
  }

  private void report(@Nullable V view) {
    if (view != null) {
      changed.accept(view);
    }
  }
}
