package dev.rekindle.detect.kernel;

import com.google.re2j.Pattern;
import dev.rekindle.detect.PciAddress;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lines of the mlx5 driver, and of the kernel's watchdog about its transmit queues: the texts of
 * Linux' {@code health.c}, {@code cmd.c}, {@code port.c} and {@code en_main.c}. Numbers of lines
 * and process ids in them change from version to version and are left out.
 */
final class Mlx5Lines {
  /** {@code mlx5_core 0000:3b:00.1 ens1f1np1: text}, with or without address and name. */
  private static final Pattern LINE =
      Pattern.compile(
          "(?s)^mlx5_core(?: ([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\\.[0-9a-fA-F]))?"
              + "(?: ([^ :]{1,32}))?: (.*)$");

  /** Before Linux 6.8 the watchdog names the interface first and the driver in parentheses. */
  private static final Pattern WATCHDOG =
      Pattern.compile(
          "^NETDEV WATCHDOG: ([^ :]{1,32}) \\(mlx5_core\\): .{0,40}transmit queue \\d+ timed out");

  /**
   * A text, and the word for it. The first that a line holds counts.
   *
   * @param onePort whether it is about one port; all ports of a card have one firmware
   */
  private record Meaning(String code, boolean onePort, String text) {}

  private static Meaning card(String code, String text) {
    return new Meaning(code, false, text);
  }

  private static Meaning port(String code, String text) {
    return new Meaning(code, true, text);
  }

  private static final List<Meaning> MEANINGS =
      List.of(
          card("register-access", "ACCESS_REG("),
          card("command-timeout", "timeout. Will cause a leak of a command resource"),
          card("health-lost", "device's health compromised - reached miss count"),
          card("hardware-error", "unrecoverable hardware error"),
          card("pci-unreadable", "PCI reads still not working"),
          card("firmware-error", "firmware internal error"),
          port("transmit-timeout", "NETDEV WATCHDOG"),
          port("transmit-timeout", "TX timeout detected"),
          port("receive-timeout", "RX timeout on channel"),
          port("cable-unplugged", "Cable unplugged"),
          port("high-temperature", "High Temperature"),
          port("cable-error", "Port module event[error]"),
          card("low-power", "Detected insufficient power on the PCIe slot"),
          port("cable-plugged", "Cable plugged"),
          port("link-down", "Link down"),
          port("link-up", "Link up"));

  private static final Meaning FATAL_ERROR = card("fatal-error", "Fatal error");

  private static final Pattern FATAL = Pattern.compile("\\bFatal error \\d+ detected");

  private Mlx5Lines() {}

  static Optional<Finding> parse(String message) {
    if (message.startsWith("NETDEV WATCHDOG: ")) {
      var watchdog = WATCHDOG.matcher(message);
      return watchdog.find()
          ? Optional.of(
              Finding.of(Source.MLX5, "transmit-timeout", "", "", watchdog.group(1))
                  .at(watchdog.group(1)))
          : Optional.empty();
    }
    if (!message.startsWith("mlx5_core")) {
      return Optional.empty();
    }
    var line = LINE.matcher(message);
    if (!line.find()) {
      return Optional.empty();
    }
    var address = line.group(1);
    var name = line.group(2);
    return meaning(line.group(3))
        .map(
            meaning -> {
              var finding =
                  Finding.of(
                      Source.MLX5,
                      meaning.code(),
                      "",
                      address == null ? "" : PciAddress.of(address),
                      unit(address, name));
              return meaning.onePort() ? finding.at(portName(address, name)) : finding;
            });
  }

  private static String portName(@Nullable String address, @Nullable String name) {
    return address == null
        ? Objects.requireNonNullElse(name, "")
        : address.substring(address.indexOf('.')).toLowerCase(Locale.ROOT);
  }

  private static Optional<Meaning> meaning(String text) {
    if (FATAL.matcher(text).find()) {
      return Optional.of(FATAL_ERROR);
    }
    for (var meaning : MEANINGS) {
      if (text.contains(meaning.text())) {
        // Reading a register may fail for many a reason that is none of the device's health.
        var refused = text.contains("failed, status");
        if (!meaning.code().equals("register-access") || refused) {
          return Optional.of(meaning);
        }
      }
    }
    return Optional.empty();
  }

  /** Each port of a NIC is a function of its own. */
  private static String unit(@Nullable String address, @Nullable String name) {
    if (name != null) {
      return name;
    }
    return address == null || address.endsWith(".0")
        ? ""
        : "function " + address.substring(address.length() - 1).toLowerCase(Locale.ROOT);
  }
}
