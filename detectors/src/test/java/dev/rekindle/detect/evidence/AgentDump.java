package dev.rekindle.detect.evidence;

import dev.rekindle.api.RankEvidence;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What an agent makes of the dump of one rank. */
public final class AgentDump {
  private AgentDump() {}

  /**
   * Asks a rank for its dump, and reads it.
   *
   * @param dump what it then writes
   * @param written when, by the clock of its node
   */
  public static RankEvidence at(int rank, int worldSize, byte[] dump, Instant written) {
    var files = new OneDump(dump, written);
    var process = new RankProcess(rank, worldSize, 10, false, "/fr/rank_", "/fr/pipe_", List.of());
    var witness = RankWitness.ask(files, process);
    witness.poll();
    return witness.evidence(
        "pod-" + rank, "uid-" + rank, List.of(), null, List.of(), List.of(), false);
  }

  private static final class OneDump implements ContainerFiles {
    private final byte[] dump;
    private final Instant written;
    private boolean asked;

    OneDump(byte[] dump, Instant written) {
      this.dump = dump;
      this.written = written;
    }

    @Override
    public Optional<Stamp> stamp(long pid, String path) {
      return asked ? Optional.of(new Stamp(written, dump.length, 1)) : Optional.empty();
    }

    @Override
    public byte[] read(long pid, String path, int most) {
      return dump.clone();
    }

    @Override
    public boolean poke(long pid, String path) {
      asked = true;
      return true;
    }

    @Override
    public boolean isRead(long pid, String path) {
      return true;
    }
  }
}
