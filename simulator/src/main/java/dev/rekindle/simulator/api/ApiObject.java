package dev.rekindle.simulator.api;

/** An object as the API server keeps it: immutable. */
public interface ApiObject<T extends ApiObject<T>> {
  /** What every object has. */
  Meta meta();

  /** The same with other metadata. */
  T with(Meta meta);
}
