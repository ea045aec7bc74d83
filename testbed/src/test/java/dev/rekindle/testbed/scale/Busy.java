package dev.rekindle.testbed.scale;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How much processor time the processes of this machine have used.
 *
 * @param used by what a process is
 */
record Busy(Map<String, Duration> used) {
  private static final String ENTRY_POINT = "dev.rekindle.";

  static Busy now() {
    Map<String, Duration> used = new TreeMap<>();
    ProcessHandle.allProcesses()
        .map(ProcessHandle::info)
        .forEach(
            info ->
                info.totalCpuDuration()
                    .ifPresent(time -> used.merge(what(info), time, Duration::plus)));
    return new Busy(used);
  }

  /** Seconds since then, of those that used more than a few ticks. */
  Map<String, Object> since(Busy before) {
    Map<String, Object> json = new TreeMap<>();
    used.forEach(
        (what, time) -> {
          Duration more = time.minus(before.used().getOrDefault(what, Duration.ZERO));
          if (more.compareTo(Duration.ofMillis(50)) >= 0) {
            json.put(what, Math.round(more.toMillis() / 10.0) / 100.0);
          }
        });
    return json;
  }

  private static String what(ProcessHandle.Info info) {
    String command = info.command().map(c -> String.valueOf(Path.of(c).getFileName())).orElse("?");
    List<String> arguments = List.of(info.arguments().orElse(new String[0]));
    int main =
        (int) arguments.stream().takeWhile(argument -> !argument.startsWith(ENTRY_POINT)).count();
    return main == arguments.size()
        ? command
        : String.join(" ", arguments.subList(main, Math.min(main + 2, arguments.size())));
  }
}
