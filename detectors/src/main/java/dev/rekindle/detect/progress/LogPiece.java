package dev.rekindle.detect.progress;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;

/**
 * What a container printed between two line breaks, or between two carriage returns of one line: a
 * progress bar writes itself again after each of them. It refers to a buffer that is used again: it
 * holds for as long as the call that it is given to.
 */
final class LogPiece {
  /** What is decoded of a piece to find a step, in bytes. */
  private static final int LOOKED_AT = 4 * 1024;

  private final byte[] bytes;
  private final int from;
  private final int to;
  private final Stamp stamp;
  private final boolean partial;

  /**
   * A part of a line.
   *
   * @param bytes what the piece is in
   * @param from its first byte
   * @param to the one behind its last
   * @param stamp when the runtime wrote it
   * @param partial whether it comes from a line that continues
   */
  LogPiece(byte[] bytes, int from, int to, Stamp stamp, boolean partial) {
    this.bytes = bytes;
    this.from = from;
    this.to = to;
    this.stamp = stamp;
    this.partial = partial;
  }

  /** The runtime's stamp as it stands in the log: for most lines it does not matter. */
  static final class Stamp {
    private final byte[] bytes;
    private final int from;
    private final int to;

    Stamp(byte[] bytes, int from, int to) {
      this.bytes = bytes;
      this.from = from;
      this.to = to;
    }

    /** The time; empty where the stamp is none. */
    Optional<Instant> time() {
      return RuntimeTime.parse(bytes, from, to);
    }
  }

  /** When the runtime wrote it. */
  Stamp stamp() {
    return stamp;
  }

  /** Whether it comes from a line that continues. */
  boolean isPartial() {
    return partial;
  }

  /** Its length in bytes. */
  int length() {
    return to - from;
  }

  /** What it may hold, by {@link LineFilter}. */
  int mayHold() {
    return LineFilter.of(bytes, from, to);
  }

  /** Whether it says that a pause begins. */
  boolean announcesPause() {
    return PauseWords.announce(bytes, from, to);
  }

  /** The piece as it was printed. */
  String text() {
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  /** Its beginning, in which the default formats find a step. */
  String beginning() {
    return new String(bytes, from, Math.min(to - from, LOOKED_AT), StandardCharsets.UTF_8);
  }
}
