package dev.rekindle.detect.progress;

import com.google.re2j.Pattern;
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

  /** Bytes of a log as the container runtime writes it. */
  public static void log(byte[] input) {
    var tracker = new ProgressTracker();
    var pattern = StepPattern.byDefault();
    new LineJoiner().add(input, input.length, (time, text) -> line(tracker, pattern, time, text));
    var _ = tracker.progress();
  }

  private static void line(
      ProgressTracker tracker, StepPattern pattern, Instant time, String text) {
    var asked = RestartLine.find(time, text);
    if (asked.isPresent()) {
      var request = asked.get();
      if (request.reason().length() > RestartLine.MAX_REASON) {
        throw new AssertionError("a reason of " + request.reason().length());
      }
    } else {
      pattern.find(text).ifPresent(step -> tracker.step(time, step));
    }
  }
}
