package dev.rekindle.logging;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The settings of the log, from the environment. Reading them never fails: what is wrong with the
 * environment is to be logged.
 *
 * @param format {@code REKINDLE_LOG_FORMAT}: default logfmt
 * @param level {@code REKINDLE_LOG_LEVEL}: default info
 * @param problems the variables that cannot be used, and why; the defaults hold in their place
 */
public record LogSettings(LineFormat format, LogLevel level, List<String> problems) {
  private static final String FORMAT = "REKINDLE_LOG_FORMAT";
  private static final String LEVEL = "REKINDLE_LOG_LEVEL";

  /** Reads the settings. */
  public static LogSettings of(Map<String, String> environment) {
    List<String> problems = new ArrayList<>();
    var format =
        read(
            environment,
            FORMAT,
            LineFormat.LOGFMT,
            List.of(LineFormat.values()),
            LineFormat::word,
            problems);
    var level =
        read(
            environment,
            LEVEL,
            LogLevel.INFO,
            List.of(LogLevel.values()),
            LogLevel::word,
            problems);
    return new LogSettings(format, level, List.copyOf(problems));
  }

  private static <T> T read(
      Map<String, String> environment,
      String name,
      T otherwise,
      List<T> values,
      Function<T, String> word,
      List<String> problems) {
    var text = environment.get(name);
    if (text == null) {
      return otherwise;
    }
    for (var value : values) {
      if (word.apply(value).equals(text)) {
        return value;
      }
    }
    problems.add(
        name
            + "='"
            + text
            + "' is none of "
            + values.stream().map(word).collect(Collectors.joining(", ")));
    return otherwise;
  }
}
