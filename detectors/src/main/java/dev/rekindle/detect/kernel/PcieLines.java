package dev.rekindle.detect.kernel;

import com.google.re2j.Pattern;
import dev.rekindle.detect.PciAddress;
import dev.rekindle.detect.kernel.KernelLines.Read;
import dev.rekindle.detect.kernel.ParserState.Kind;
import java.util.Locale;
import java.util.Optional;

/**
 * Lines of Linux' advanced error reporting of PCIe ({@code aer.c}, {@code err.c}): a fatal error,
 * and a recovery from one that failed. Corrected and non-fatal ones report nothing. A recovery is
 * reported in the name of the port above the device; the device stands in the lines before.
 */
final class PcieLines {
  /** From the error to the end of its recovery, with room for lines of others. */
  private static final int RECOVERY_LINES = 64;

  private static final Pattern LINE =
      Pattern.compile(
          "^([a-z][a-z0-9_-]{1,31})"
              + " ([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\\.[0-9a-fA-F])(?: [^ :]{1,32})?:"
              + " (.*)$");

  /** Both wordings: newer kernels say "Uncorrectable" and "error message received from". */
  private static final Pattern RECEIVED =
      Pattern.compile(
          "^AER: (?:Multiple )?Uncorrect(?:ed|able) \\((Fatal|Non-Fatal)\\) error"
              + "(?: message)? received(?:: | from )"
              + PciAddress.PATTERN);

  private static final Pattern FATAL =
      Pattern.compile("^(?:AER: )?PCIe Bus Error: severity=Uncorrect(?:ed|able) \\(Fatal\\)");

  private PcieLines() {}

  /** Cheap, as every line is asked. */
  static boolean mayBe(String message) {
    return message.startsWith("nvidia ")
        || message.startsWith("mlx5_core ")
        || message.contains(": AER: ")
        || message.contains(": PCIe Bus Error: ");
  }

  /** The memory with what the driver's name says of its device. */
  static ParserState learn(ParserState memory, String message) {
    var kind =
        message.startsWith("nvidia ")
            ? Finding.GPU
            : message.startsWith("mlx5_core ") ? Finding.NIC : Finding.OTHER;
    if (kind.equals(Finding.OTHER)) {
      return memory;
    }
    var line = LINE.matcher(message);
    return line.find() ? memory.known(PciAddress.of(line.group(2)), kind) : memory;
  }

  /** What came of a line; empty where it is none of these. */
  static Optional<Read> read(ParserState memory, String message) {
    var line = LINE.matcher(message);
    if (!line.find()) {
      return Optional.empty();
    }
    var driver = line.group(1);
    var at = line.group(2);
    var text = line.group(3);
    var received = RECEIVED.matcher(text);
    if (received.find()) {
      var device = PciAddress.of(received.group(2));
      var open = memory.opened(Kind.PCIE, device, RECOVERY_LINES);
      return Optional.of(
          new Read(
              open,
              received.group(1).equals("Fatal")
                  ? Optional.of(finding(open, "fatal-error", device))
                  : Optional.empty()));
    }
    if (FATAL.matcher(text).find()) {
      var open = memory.opened(Kind.PCIE, PciAddress.of(at), RECOVERY_LINES);
      return Optional.of(
          new Read(open, Optional.of(finding(open, "fatal-error", PciAddress.of(at)))));
    }
    if (text.startsWith("AER: can't recover") && !driver.equals("pcieport")) {
      return Optional.of(
          new Read(memory.opened(Kind.PCIE, PciAddress.of(at), RECOVERY_LINES), Optional.empty()));
    }
    if (text.startsWith("AER: device recovery failed")) {
      var known = memory.open().filter(begun -> begun.kind() == Kind.PCIE);
      var finding =
          known
              .map(begun -> finding(memory, "recovery-failed", begun.subject()))
              .orElseGet(() -> below(memory, at));
      return Optional.of(new Read(memory.closed(), Optional.of(finding)));
    }
    return Optional.empty();
  }

  private static Finding finding(ParserState memory, String code, String device) {
    return Finding.of(Source.PCIE, code, memory.kind(device), device, "");
  }

  /** Of whatever is below this port, which the log does not say. */
  private static Finding below(ParserState memory, String port) {
    var function = port.substring(port.indexOf('.')).toLowerCase(Locale.ROOT);
    return finding(memory, "recovery-failed", PciAddress.of(port)).at(function);
  }
}
