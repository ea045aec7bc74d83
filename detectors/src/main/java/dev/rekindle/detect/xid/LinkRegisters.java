package dev.rekindle.detect.xid;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;

/**
 * The seven register words of XID 74, {@code NVLink: fatal error detected on link 6(0x10000, 0x0,
 * ...)}, as NVIDIA's Xid catalogue (WORKFLOW_NVLINK_ERR) reads them: the first, third, fourth and
 * fifth word have a meaning, and where several bits are set the worst of them decides.
 */
final class LinkRegisters {
  private static final String WORD = "0x([0-9a-fA-F]{1,8})";
  private static final Pattern LINK = Pattern.compile("(?i)\\blink (\\d{1,3})");
  private static final Pattern WORDS =
      Pattern.compile("(?i)\\blink (\\d{1,3}) ?\\(" + WORD + (",? *" + WORD).repeat(4));

  /** The bits of a register word that mean the same. */
  private record Bits(String mark, int register, int mask) {}

  /** Worst first. */
  private static final Bits[] MEANINGS = {
    new Bits("ecc", 1, bits(4, 5)),
    new Bits("ecc", 3, bits(0, 1, 2, 6)),
    new Bits("ecc", 5, bits(18, 19, 21, 22, 24, 25, 27, 28)),
    new Bits("mechanical", 1, bits(8, 9, 12, 16, 17, 24, 28)),
    new Bits("signal", 1, bits(21, 22)),
    new Bits("repeated", 1, bits(27, 29)),
    new Bits("repeated", 3, bits(16, 17, 18, 19)),
    new Bits("threshold", 5, bits(20, 23, 26, 29)),
    new Bits("secondary", 1, bits(1, 20)),
    new Bits("secondary", 4, bits(16, 17, 18)),
    new Bits("harmless", 1, bits(0, 23, 30)),
  };

  private LinkRegisters() {}

  /**
   * The mark: {@code ecc}, {@code mechanical}, {@code signal}, {@code repeated}, {@code threshold},
   * {@code secondary} or {@code harmless}; {@code unknown} where no bit has a meaning, or one that
   * has none is set beside nothing worse than a secondary one; the unit is the link.
   */
  static XidMark mark(String text) {
    var words = WORDS.matcher(text);
    if (!words.find()) {
      var link = LINK.matcher(text);
      return new XidMark("unknown", link.find() ? "link " + Integer.parseInt(link.group(1)) : "");
    }
    var unit = "link " + Integer.parseInt(words.group(1));
    for (var meaning : MEANINGS) {
      var word = Integer.parseUnsignedInt(words.group(1 + meaning.register()), 16);
      if ((word & meaning.mask()) == 0) {
        continue;
      }
      var mild = meaning.mark().equals("secondary") || meaning.mark().equals("harmless");
      return new XidMark(mild && hasOthers(words) ? "unknown" : meaning.mark(), unit);
    }
    return new XidMark("unknown", unit);
  }

  /** Whether a bit without a meaning is set in a word that has one. */
  private static boolean hasOthers(Matcher words) {
    for (int register : new int[] {1, 3, 4, 5}) {
      var rest = Integer.parseUnsignedInt(words.group(1 + register), 16);
      for (var meaning : MEANINGS) {
        if (meaning.register() == register) {
          rest &= ~meaning.mask();
        }
      }
      if (rest != 0) {
        return true;
      }
    }
    return false;
  }

  private static int bits(int... numbers) {
    int mask = 0;
    for (int number : numbers) {
      mask |= 1 << number;
    }
    return mask;
  }
}
