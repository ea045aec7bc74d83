package dev.rekindle.detect.evidence;

import dev.rekindle.api.RankActivity;
import dev.rekindle.api.RankCalls;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Frame;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.evidence.ContainerFiles.Stamp;
import dev.rekindle.detect.flightrecorder.DumpException;
import dev.rekindle.detect.flightrecorder.DumpReader;
import dev.rekindle.detect.stall.DumpSummary;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one rank is doing. Its flight recorder is asked for a dump through its pipe; the dump is
 * there once a file has changed since, and can be read to its end: it is not written at once.
 */
final class RankWitness {
  /**
   * The largest dump that an agent reads, and the most values of it, which take up to 25 MiB of its
   * heap. A full ring without stacks has 800 KiB.
   */
  static final int MOST_BYTES = 4 << 20;

  private static final int MOST_OBJECTS = 250_000;

  private final ContainerFiles files;
  private final RankProcess process;
  private final @Nullable Stamp before;
  private DumpState state;
  private List<RankEvidence.Group> groups = List.of();
  private @Nullable RankCalls calls;

  private RankWitness(
      ContainerFiles files, RankProcess process, @Nullable Stamp before, DumpState state) {
    this.files = files;
    this.process = process;
    this.before = before;
    this.state = state;
  }

  /** Asks a rank for a dump, if it has a pipe for that. */
  static RankWitness ask(ContainerFiles files, RankProcess process) {
    if (process.pipePrefix().isEmpty() || process.dumpPrefix().isEmpty()) {
      return new RankWitness(files, process, null, DumpState.NONE);
    }
    try {
      var before = files.stamp(process.pid(), process.dumpPrefix() + process.rank());
      boolean asked = files.poke(process.pid(), process.pipe());
      // Without a pipe its recorder is off, or it does not know the variable.
      return new RankWitness(
          files, process, before.orElse(null), asked ? DumpState.MISSING : DumpState.NONE);
    } catch (IOException e) {
      return new RankWitness(files, process, null, DumpState.NONE);
    }
  }

  /**
   * Polls for the dump once more; returns whether there is nothing more to come. A process that is
   * stopped by a signal or a debugger writes none, and that says enough of it.
   */
  boolean poll() {
    if (process.stopped()) {
      return true;
    }
    if (state != DumpState.MISSING && state != DumpState.UNREADABLE) {
      return true;
    }
    var path = process.dumpPrefix() + process.rank();
    try {
      var now = files.stamp(process.pid(), path);
      if (now.isEmpty() || now.get().equals(before)) {
        return false;
      }
      state = DumpState.UNREADABLE;
      if (now.get().size() > MOST_BYTES) {
        return false;
      }
      var bytes = files.read(process.pid(), path, MOST_BYTES);
      Optional<List<RankEvidence.Group>> summary;
      synchronized (RankWitness.class) {
        // One at a time: each takes as much of the heap as is left for it.
        var dump = new DumpReader(MOST_BYTES, MOST_OBJECTS).read(process.rank(), bytes);
        summary = DumpSummary.of(dump, now.get().changed());
        calls = DumpSummary.calls(dump);
      }
      if (summary.isEmpty()) {
        return true;
      }
      groups = summary.get();
      state = DumpState.READ;
      return true;
    } catch (IOException | DumpException e) {
      return false;
    }
  }

  long pid() {
    return process.pid();
  }

  int rank() {
    return process.rank();
  }

  /** What was found. */
  RankEvidence evidence(
      String pod,
      String podUid,
      List<RankEvidence.Line> lines,
      @Nullable RankActivity activity,
      List<String> addresses,
      List<Frame> stack,
      boolean compiles) {
    return new RankEvidence(
        pod,
        podUid,
        process.rank(),
        process.worldSize(),
        process.stopped() ? ProcessState.STOPPED : ProcessState.RUNNING,
        state,
        groups,
        lines,
        activity,
        addresses,
        stack,
        state == DumpState.READ ? calls : null,
        compiles ? Boolean.TRUE : null,
        List.of());
  }
}
