package dev.rekindle.detect.progress;

import com.google.re2j.Pattern;
import dev.rekindle.detect.ncclog.NcclLines;
import dev.rekindle.detect.ncclog.RecentLines;
import dev.rekindle.detect.ncclog.TransportLines;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** Feeds bytes to the readers of step patterns and of container logs. */
public final class LogFuzz {
  private LogFuzz() {}

  /** The first line is an expression, the rest is matched against it. */
  public static void expression(byte[] input) {
    var text = new String(input, StandardCharsets.UTF_8);
    var end = text.indexOf('\n');
    var expression = end < 0 ? text : text.substring(0, end);
    var checked = StepExpression.check(expression);
    if (!checked.problem().isEmpty()) {
      return;
    }
    var pattern = Pattern.compile(expression);
    if (pattern.groupCount() != 1 || pattern.programSize() > checked.size()) {
      throw new AssertionError(
          "%d groups, %d instructions, %d said"
              .formatted(pattern.groupCount(), pattern.programSize(), checked.size()));
    }
    var _ = StepPattern.of(expression).find(end < 0 ? "" : text.substring(end + 1));
  }

  /** Lines about saves and about checkpoints that cannot be loaded. */
  public static void checkpoints(byte[] input) {
    var traceback = new LoadTraceback();
    for (var line : new String(input, StandardCharsets.UTF_8).split("[\r\n]", -1)) {
      var _ = SaveLine.of(line);
      var _ = traceback.take(line);
      LoadErrorLine.kind(line)
          .map(kind -> LoadErrorLine.of(kind, line, 1, Instant.EPOCH))
          .map(Object::toString)
          .filter(text -> text.length() > 1_000)
          .ifPresent(
              text -> {
                throw new AssertionError("an error of " + text.length());
              });
    }
  }

  /** Bytes of a log as the container runtime writes it. */
  public static void log(byte[] input) {
    var tracker = new ProgressTracker();
    new LineJoiner().add(input, input.length, piece -> piece(tracker, piece));
    var _ = tracker.progress();
  }

  private static void piece(ProgressTracker tracker, LogPiece piece) {
    if (piece.length() > LineJoiner.MAX_LINE) {
      throw new AssertionError("a piece of " + piece.length());
    }
    piece.stamp().time().ifPresent(time -> line(tracker, piece, time));
  }

  private static void network(LogPiece piece, int found) {
    if ((found & LineFilter.NETWORK) == 0 && TransportLines.mayHold(piece.text())) {
      throw new AssertionError("passed over: " + piece.text());
    }
    var network = new TransportLines();
    network.take(piece.beginning());
    network
        .transport()
        .filter(t -> t.ranks() != 1 || t.rdmaRanks() + t.socketRanks() > 1)
        .ifPresent(
            t -> {
              throw new AssertionError("more than one process by one line: " + t);
            });
  }

  private static void line(ProgressTracker tracker, LogPiece piece, Instant time) {
    int found = piece.mayHold();
    if ((found & LineFilter.WITNESS) == 0 && NcclLines.mayHold(piece.text())) {
      throw new AssertionError("passed over: " + piece.text());
    }
    network(piece, found);
    var said = new RecentLines();
    said.take(piece.stamp()::time, piece.beginning());
    var asked = RestartLine.find(time, piece.text());
    if (asked.isPresent()) {
      if (asked.get().reason().length() > RestartLine.MAX_REASON) {
        throw new AssertionError("a reason of " + asked.get().reason().length());
      }
      if ((found & LineFilter.RESTART) == 0) {
        throw new AssertionError("passed over: " + piece.text());
      }
    }
    var reading = LineReader.read(piece.beginning());
    if (reading.isPresent()) {
      if (reading.get().count() < 0) {
        throw new AssertionError("a count below 0: " + reading.get());
      }
      // A word with an escape sequence within it is passed over: a terminal shows it, no trainer
      // prints it.
      if ((found & LineFilter.STEP) == 0
          && reading.get() instanceof Reading.Step
          && AnsiText.of(piece.beginning()).text().equals(piece.beginning())) {
        throw new AssertionError("passed over: " + piece.text());
      }
      tracker.take(time, reading.get());
    }
    var _ = piece.announcesPause();
  }
}
