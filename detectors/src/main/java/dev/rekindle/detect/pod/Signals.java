package dev.rekindle.detect.pod;

import java.util.Map;
import java.util.OptionalInt;

/** Signals behind exit codes: a runtime reports a process killed by signal n as 128 + n. */
final class Signals {
  /** Numbers of Linux on x86-64 and arm64. */
  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(1, "SIGHUP"),
          Map.entry(2, "SIGINT"),
          Map.entry(3, "SIGQUIT"),
          Map.entry(4, "SIGILL"),
          Map.entry(5, "SIGTRAP"),
          Map.entry(6, "SIGABRT"),
          Map.entry(7, "SIGBUS"),
          Map.entry(8, "SIGFPE"),
          Map.entry(9, "SIGKILL"),
          Map.entry(11, "SIGSEGV"),
          Map.entry(13, "SIGPIPE"),
          Map.entry(14, "SIGALRM"),
          Map.entry(15, "SIGTERM"));

  private Signals() {}

  /** The signal that ended the run, if one did. */
  static OptionalInt of(ContainerFacts.Ended end) {
    if (end.signal() > 0) {
      return OptionalInt.of(end.signal());
    }
    var signal = end.exitCode() - 128;
    return signal >= 1 && signal <= 64 ? OptionalInt.of(signal) : OptionalInt.empty();
  }

  /** How a run ended, as the rest of a sentence. */
  static String howEnded(ContainerFacts.Ended end) {
    var signal = of(end);
    var reason =
        end.reason().isEmpty() || end.reason().equals("Error") ? "" : " (" + end.reason() + ")";
    if (signal.isEmpty()) {
      return "ended with exit code " + end.exitCode() + reason;
    }
    var name = NAMES.getOrDefault(signal.getAsInt(), "signal " + signal.getAsInt());
    return "ended by " + name + ", exit code " + end.exitCode() + reason;
  }
}
