package dev.rekindle.controller.notification;

import java.util.Map;
import java.util.Optional;

/** Where it is stored what was delivered. A call may fail with a CallException. */
public interface RecordStore {
  /**
   * What is stored.
   *
   * @param version the version that the next write must match; empty where nothing is stored
   * @param data names and texts
   */
  record Stored(String version, Map<String, String> data) {
    public Stored {
      data = Map.copyOf(data);
    }
  }

  /** Reads it from the API server. */
  Stored read();

  /** Replaces it. Empty when another one was written meanwhile. */
  Optional<Stored> write(Stored before, Map<String, String> data);
}
