package dev.rekindle.detect.sxid;

import com.google.re2j.Pattern;
import dev.rekindle.detect.PciAddress;
import dev.rekindle.detect.sxid.SxidEvent.Severity;
import java.util.Optional;

/**
 * Reads the lines in which the NVSwitch driver reports an SXid: {@code common_nvswitch.h}, {@code
 * error_nvswitch.c} and {@code intr_nvswitch.h} of NVIDIA's open kernel modules. Lines of detail
 * that follow with the same code ({@code Severity ...}, {@code Data ...}) say nothing new.
 */
public final class SxidParser {
  private static final Pattern SXID =
      Pattern.compile(
          "(?s)^nvidia-nvswitch\\d{0,4}: SXid \\((?:PCI:)?"
              + PciAddress.PATTERN
              + "\\): (\\d{1,9}), ?(.*)$");

  private static final Pattern DETAIL =
      Pattern.compile("^(?:Severity \\d+ Engine instance|Data ?\\{)");

  private static final Pattern WORD = Pattern.compile("(?i)^(fatal|non-?fatal|correctable)\\b");
  private static final Pattern LINK = Pattern.compile("\\bLink (\\d{1,3})\\b");
  private static final Pattern INSTANCE =
      Pattern.compile("\\binstance=(\\d{1,4})(?:, ?chiplet=(\\d{1,4}))?");

  private SxidParser() {}

  /**
   * The SXid that a kernel message reports, if it reports one.
   *
   * @param message text of one kernel record, escapes undone
   */
  public static Optional<SxidEvent> parse(String message) {
    if (!message.startsWith("nvidia-nvswitch")) {
      return Optional.empty();
    }
    var sxid = SXID.matcher(message);
    if (!sxid.find() || DETAIL.matcher(sxid.group(3)).find()) {
      return Optional.empty();
    }
    return Optional.of(
        new SxidEvent(
            Integer.parseInt(sxid.group(2)),
            PciAddress.of(sxid.group(1)),
            severity(sxid.group(3)),
            unit(sxid.group(3)),
            sxid.group(3)));
  }

  private static Severity severity(String text) {
    var word = WORD.matcher(text);
    if (!word.find()) {
      return Severity.UNTAGGED;
    }
    return switch (word.group(1).charAt(0)) {
      case 'f', 'F' -> Severity.FATAL;
      case 'n', 'N' -> Severity.NON_FATAL;
      default -> Severity.CORRECTABLE;
    };
  }

  private static String unit(String text) {
    var link = LINK.matcher(text);
    if (link.find()) {
      return "link " + Integer.parseInt(link.group(1));
    }
    var instance = INSTANCE.matcher(text);
    if (!instance.find()) {
      return "";
    }
    return "instance "
        + instance.group(1)
        + (instance.group(2) == null ? "" : " chiplet " + instance.group(2));
  }
}
