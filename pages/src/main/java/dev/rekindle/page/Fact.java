package dev.rekindle.page;

/**
 * One line of a list of facts.
 *
 * @param label what it is
 * @param value as it is shown; may come from a tenant
 */
record Fact(String label, String value) {
  Fact {
    value = VisibleText.of(value);
  }
}
