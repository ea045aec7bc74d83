package dev.rekindle.simulator.world;

import dev.rekindle.detect.kernelfault.JudgeStore;
import dev.rekindle.detect.kmsg.CursorStore;
import dev.rekindle.detect.rules.History;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a node's agent writes down of the kernel log: how far it has come, and what its judge
 * remembers. It outlives its process and the boot of the machine.
 */
final class FaultDisk implements CursorStore, JudgeStore {
  private final InstantSource clock;
  private String boot = "";
  private long cursor;
  private @Nullable Kept judged;
  private Instant fullUntil = Instant.MIN;

  /** An empty one. */
  FaultDisk(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public OptionalLong read(String bootId) {
    return boot.equals(bootId) ? OptionalLong.of(cursor) : OptionalLong.empty();
  }

  @Override
  public void write(String bootId, long sequence) throws IOException {
    requireRoom();
    boot = bootId;
    cursor = sequence;
  }

  @Override
  public Optional<Kept> read() {
    return Optional.ofNullable(judged);
  }

  @Override
  public void write(long sequence, History history) throws IOException {
    requireRoom();
    judged = new Kept(sequence, history);
  }

  private void requireRoom() throws IOException {
    if (fullUntil.isAfter(clock.instant())) {
      throw new IOException("No space left on device");
    }
  }

  /** Nothing can be written until then. */
  void fullUntil(Instant until) {
    fullUntil = until;
  }
}
