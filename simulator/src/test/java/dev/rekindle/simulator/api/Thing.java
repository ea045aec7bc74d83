package dev.rekindle.simulator.api;

import java.util.Set;

/** An object for tests: some text on a shelf. */
record Thing(Meta meta, String shelf, String text) implements ApiObject<Thing> {
  static Thing named(String name) {
    return new Thing(Meta.draft("team", name, ""), "low", "");
  }

  Thing ownedBy(String uid) {
    return new Thing(Meta.draft(meta.namespace(), meta.name(), uid), shelf, text);
  }

  Thing on(String newShelf) {
    return new Thing(meta, newShelf, text);
  }

  Thing saying(String newText) {
    return new Thing(meta, shelf, newText);
  }

  Thing heldBy(String... finalizers) {
    return with(meta.with(Set.of(finalizers)));
  }

  @Override
  public Thing with(Meta newMeta) {
    return new Thing(newMeta, shelf, text);
  }
}
