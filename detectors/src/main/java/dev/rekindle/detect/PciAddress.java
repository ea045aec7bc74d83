package dev.rekindle.detect;

import java.util.Locale;

/**
 * Addresses on the PCI bus, which every source prints in a way of its own. In one form they can be
 * compared: {@code 0000:3b:00}, lower case, a domain of four digits or more where it needs them,
 * and no function.
 */
public final class PciAddress {
  /** Its form in a log, for patterns; one group, the function is outside of it. */
  public static final String PATTERN =
      "([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})(?:\\.[0-9a-fA-F])?";

  private PciAddress() {}

  /** The one form of an address that matches {@link #PATTERN}, with or without its function. */
  public static String of(String printed) {
    var domainEnd = printed.indexOf(':');
    var function = printed.indexOf('.');
    var domain = Integer.toHexString(Integer.parseUnsignedInt(printed.substring(0, domainEnd), 16));
    return "0".repeat(Math.max(0, 4 - domain.length()))
        + domain
        + printed
            .substring(domainEnd, function < 0 ? printed.length() : function)
            .toLowerCase(Locale.ROOT);
  }
}
