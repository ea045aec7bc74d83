package dev.rekindle.detect.freeze;

import java.io.IOException;

/**
 * Freezes, kills and thaws containers by their ids. Every call is one attempt and one check, and
 * never waits: it is made again until the check shows what was wanted.
 */
public interface Freezer {
  /**
   * Freezes every process of a container.
   *
   * @throws IOException when that cannot be done here
   */
  Outcome freeze(String container) throws IOException;

  /** By what the container is frozen. */
  String how(String container);

  /**
   * Whether any process of a container is left.
   *
   * @throws IOException when that cannot be determined
   */
  boolean hasProcesses(String container) throws IOException;

  /**
   * Kills every process of a container, frozen or not.
   *
   * @return {@link Outcome#DONE} when none is left; {@link Outcome#GONE} when none was ever seen
   * @throws IOException when that cannot be done here
   */
  Outcome kill(String container) throws IOException;

  /**
   * Lets a container run on.
   *
   * @param how by what it was frozen; empty when that is not known
   * @throws IOException when that cannot be done here
   */
  Outcome thaw(String container, String how) throws IOException;
}
