package dev.rekindle.testbed;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** All that the ranks of one job ever printed, over all its generations. */
final class TrainingLog implements AutoCloseable {
  /** As the scripts in examples print it, with their own words or by the Python package. */
  private static final Pattern STEP =
      Pattern.compile("step (\\d+) loss (nan|inf|[-+.0-9e]+)|REKINDLE step (\\d+)");

  private final List<LogLine> lines = new CopyOnWriteArrayList<>();
  private final List<Step> steps =
      java.util.Collections.synchronizedList(new java.util.ArrayList<>());
  private final LogTail tail;

  /**
   * One step of one rank.
   *
   * @param line where it was printed
   * @param step its number
   * @param loss mean over all ranks; NaN where it is not a number, or not in the line
   */
  record Step(LogLine line, long step, double loss) {
    Instant time() {
      return line.time();
    }

    String uid() {
      return line.uid();
    }
  }

  TrainingLog(String namespace, String job) {
    Pattern pods =
        Pattern.compile(Pattern.quote(namespace + "_" + job + "-") + "(master|worker)-\\d+");
    tail = new LogTail(pods, this::take);
  }

  private void take(LogLine line) {
    step(line).ifPresentOrElse(steps::add, () -> lines.add(line));
  }

  /** Reads a step line. */
  static Optional<Step> step(LogLine line) {
    Matcher step = STEP.matcher(line.text());
    if (!step.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        step.group(1) == null
            ? new Step(line, Long.parseLong(step.group(3)), Double.NaN)
            : new Step(line, Long.parseLong(step.group(1)), loss(step.group(2))));
  }

  private static double loss(String text) {
    return text.startsWith("nan") || text.startsWith("inf") ? Double.NaN : Double.parseDouble(text);
  }

  /** Steps so far, as they were read. */
  List<Step> steps() {
    synchronized (steps) {
      return List.copyOf(steps);
    }
  }

  /** Steps of some pods, by time. */
  List<Step> steps(Predicate<Step> which) {
    return steps().stream().filter(which).sorted(Comparator.comparing(Step::time)).toList();
  }

  /** Highest step of any rank, ever; 0 before the first. */
  long reached() {
    return reached(s -> true);
  }

  /** Highest step among some. */
  long reached(Predicate<Step> which) {
    OptionalLong most = steps().stream().filter(which).mapToLong(Step::step).max();
    return most.orElse(0);
  }

  /** Lines that are no steps. */
  List<LogLine> lines() {
    return List.copyOf(lines);
  }

  @Override
  public void close() {
    tail.close();
  }
}
