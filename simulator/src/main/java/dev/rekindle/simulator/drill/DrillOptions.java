package dev.rekindle.simulator.drill;

import java.util.Iterator;
import java.util.List;

/**
 * What was asked for on the command line.
 *
 * @param task what to do
 * @param scenario the fault
 * @param json one object per line instead of text
 * @param seed of all chance
 * @param fast no pauses on a terminal
 * @param colour colours on a terminal
 * @param controllers replicas of the controller
 */
record DrillOptions(
    Task task,
    Scenario scenario,
    boolean json,
    long seed,
    boolean fast,
    boolean colour,
    int controllers) {

  /** What to do. */
  enum Task {
    RUN,
    LIST,
    HELP
  }

  /** Something on the command line makes no sense. */
  static final class UsageException extends Exception {
    UsageException(String message) {
      super(message);
    }
  }

  static DrillOptions parse(List<String> args) throws UsageException {
    Task task = Task.RUN;
    Scenario scenario = Scenario.GPU_LOST;
    boolean json = false;
    long seed = 1;
    boolean fast = false;
    boolean colour = true;
    int controllers = Site.CONTROLLERS;
    Iterator<String> rest = args.iterator();
    while (rest.hasNext()) {
      String arg = rest.next();
      int equals = arg.indexOf('=');
      String name = equals < 0 ? arg : arg.substring(0, equals);
      switch (name) {
        case "--scenario" -> scenario = scenario(value(arg, equals, rest));
        case "--seed" -> seed = seed(value(arg, equals, rest));
        default -> {
          switch (arg) {
            case "--list" -> task = task == Task.HELP ? task : Task.LIST;
            case "-h", "--help" -> task = Task.HELP;
            case "--json" -> json = true;
            case "--fast" -> fast = true;
            case "--no-color", "--no-colour" -> colour = false;
            case "--without-rekindle" -> controllers = 0;
            default -> throw new UsageException("unknown option " + arg);
          }
        }
      }
    }
    return new DrillOptions(task, scenario, json, seed, fast, colour, controllers);
  }

  private static String value(String arg, int equals, Iterator<String> rest) throws UsageException {
    if (equals >= 0) {
      return arg.substring(equals + 1);
    }
    if (!rest.hasNext()) {
      throw new UsageException(arg + " needs a value");
    }
    return rest.next();
  }

  private static Scenario scenario(String word) throws UsageException {
    return Scenario.of(word)
        .orElseThrow(
            () ->
                new UsageException(
                    "unknown scenario '" + word + "'; there are: " + Scenario.words()));
  }

  private static long seed(String word) throws UsageException {
    try {
      return Long.parseLong(word);
    } catch (NumberFormatException e) {
      throw new UsageException("not a seed: '" + word + "'");
    }
  }
}
