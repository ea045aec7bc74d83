package dev.rekindle.detect.xid;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.rekindle.detect.PciAddress;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Reads the lines in which the NVIDIA driver reports an XID: {@code krcReportXid} in {@code
 * kernel_rc.c} of the branches 515 to 595, the older form without {@code PCI:}, and the two
 * messages of XID 79 that carry no XID ({@code osinit.c}, {@code osapi.c}). RE2/J keeps the time
 * linear in the length of the line.
 */
public final class XidParser {
  private static final Pattern XID =
      Pattern.compile(
          "(?s)^NVRM: Xid \\((?:PCI:)?"
              + PciAddress.PATTERN
              + "(?: GPU-I:(\\d{1,4}))?(?: GPU-CI:(\\d{1,4}))?\\): (\\d{1,9})"
              + "(?:, pid=(?:'?<[^>]{1,32}>'?|(\\d{1,18})))?(?:, name=([^,]*))?(?:, (.*))?$");

  private static final Pattern OFF_THE_BUS =
      Pattern.compile(
          "^NVRM: GPU (?:at PCI:)?" + PciAddress.PATTERN + ": GPU has fallen off the bus");

  private static final Pattern OFF_THE_BUS_AT_PROBE =
      Pattern.compile(
          "(?s)^NVRM: The NVIDIA GPU "
              + PciAddress.PATTERN
              + "\\s.{0,200}fallen off the bus and is not responding to commands");

  private static final Pattern RECOVERY_ACTION =
      Pattern.compile("recovery action changed from 0x[0-9a-fA-F]+ .{0,80}to 0x([0-9a-fA-F]{1,4})");

  private static final Pattern CAUSED_BY = Pattern.compile(" caused by previous Xid (\\d{1,9})");

  private XidParser() {}

  /**
   * The XID that a kernel message reports, if it reports one.
   *
   * @param message text of one kernel record, escapes undone
   */
  public static Optional<XidEvent> parse(String message) {
    if (!message.startsWith("NVRM: ")) {
      return Optional.empty();
    }
    var xid = XID.matcher(message);
    if (xid.find()) {
      return Optional.of(event(xid));
    }
    var offTheBus = OFF_THE_BUS.matcher(message);
    if (!offTheBus.find()) {
      offTheBus = OFF_THE_BUS_AT_PROBE.matcher(message);
      if (!offTheBus.find()) {
        return Optional.empty();
      }
    }
    return Optional.of(
        new XidEvent(
            79,
            PciAddress.of(offTheBus.group(1)),
            OptionalInt.empty(),
            OptionalInt.empty(),
            OptionalLong.empty(),
            Optional.empty(),
            message.substring("NVRM: ".length()),
            Optional.empty(),
            OptionalInt.empty()));
  }

  private static XidEvent event(Matcher xid) {
    var code = Integer.parseInt(xid.group(4));
    var text = xid.group(7) == null ? "" : xid.group(7);
    var name = xid.group(6);
    var process = name == null || name.startsWith("<") || name.isEmpty() ? null : name;
    return new XidEvent(
        code,
        PciAddress.of(xid.group(1)),
        number(xid, 2),
        number(xid, 3),
        xid.group(5) == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(xid.group(5))),
        Optional.ofNullable(process),
        text,
        code == 154 ? recoveryAction(text) : Optional.empty(),
        causedBy(text));
  }

  private static OptionalInt number(Matcher matcher, int group) {
    var digits = matcher.group(group);
    return digits == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(digits));
  }

  private static Optional<RecoveryAction> recoveryAction(String text) {
    var change = RECOVERY_ACTION.matcher(text);
    return change.find()
        ? RecoveryAction.ofNumber(Integer.parseInt(change.group(1), 16))
        : Optional.empty();
  }

  private static OptionalInt causedBy(String text) {
    var cause = CAUSED_BY.matcher(text);
    return cause.find() ? number(cause, 1) : OptionalInt.empty();
  }
}
