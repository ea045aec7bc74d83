package dev.rekindle.detect.xid;

import com.google.re2j.Pattern;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The word within a code that decides what it means, and the part of the GPU that it names. Shapes
 * are those of the driver's {@code kern_gpu_error_cont_ga100.c} (94, 95), of NVIDIA's Xid catalogue
 * (74, 144 to 150) and of its descriptions of 13 and 31.
 *
 * @param mark one word: for 74 as {@link LinkRegisters} says, for 94 and 95 {@code contained},
 *     {@code uncontained}, {@code reset} or {@code drain-and-reset}, for 144 to 150 {@code fatal}
 *     or {@code nonfatal}, {@code host} for a 149 that is none of the hardware's, for 154 the new
 *     action; else empty
 * @param unit {@code GPC 1 TPC 2}, {@code link 14}, {@code NETIR_LINK_EVT link 8}; else empty
 */
public record XidMark(String mark, String unit) {
  private static final Pattern SM = Pattern.compile("\\(GPC (\\d{1,3}), TPC (\\d{1,3})");
  private static final Pattern MMU =
      Pattern.compile(
          "ENGINE ([A-Z0-9_]{1,40})(?: (GPC\\d{1,3}))?(?:"
              + " ((?:GPC|HUB)CLIENT_[A-Za-z0-9_]{1,40}))?");
  private static final Pattern CONTAINMENT = Pattern.compile("\\b(Contained|Uncontained)\\b");
  private static final Pattern RESET = Pattern.compile("[ .]RST: Yes\\b");
  private static final Pattern DRAIN_AND_RESET = Pattern.compile("\\bD-RST: Yes\\b");
  private static final Pattern NVLINK5 =
      Pattern.compile(
          "^([A-Za-z0-9_/]{1,40}) +(?i:(fatal|non-?fatal)) +XC ?\\d+ +i ?\\d+ +Link"
              + " +(-?\\d{1,4})\\b(?: +[(\\[]0x([0-9a-fA-F]{1,8})\\b)?");
  private static final Pattern NVLINK5_WORD = Pattern.compile("(?i)\\b(fatal|non-?fatal)\\b");

  static final XidMark NONE = new XidMark("", "");

  /** The mark of an XID. */
  public static XidMark of(XidEvent xid) {
    return switch (xid.code()) {
      case 13 -> unit(sm(xid.text()));
      case 31 -> unit(engine(xid.text()));
      case 74 -> LinkRegisters.mark(xid.text());
      case 94, 95 -> containment(xid.text());
      case 144, 145, 146, 147, 148, 149, 150 -> nvlink5(xid);
      case 154 ->
          new XidMark(
              xid.recoveryAction().map(a -> a.word().replace('_', '-')).orElse("unknown"), "");
      default -> NONE;
    };
  }

  private static XidMark unit(String unit) {
    return new XidMark("", unit);
  }

  private static String sm(String text) {
    var place = SM.matcher(text);
    return place.find() ? "GPC " + place.group(1) + " TPC " + place.group(2) : "";
  }

  private static String engine(String text) {
    var engine = MMU.matcher(text);
    if (!engine.find()) {
      return "";
    }
    var unit = new StringBuilder(engine.group(1));
    for (int group = 2; group <= 3; group++) {
      if (engine.group(group) != null) {
        unit.append(' ').append(engine.group(group));
      }
    }
    return unit.toString();
  }

  private static XidMark containment(String text) {
    if (RESET.matcher(text).find()) {
      return new XidMark("reset", "");
    }
    if (DRAIN_AND_RESET.matcher(text).find()) {
      return new XidMark("drain-and-reset", "");
    }
    var word = CONTAINMENT.matcher(text);
    return word.find() ? new XidMark(word.group(1).toLowerCase(Locale.ROOT), "") : NONE;
  }

  private static XidMark nvlink5(XidEvent xid) {
    var text = xid.text();
    var event = NVLINK5.matcher(text);
    if (event.find()) {
      var link = Integer.parseInt(event.group(3));
      return new XidMark(
          isOfTheHost(xid.code(), event.group(4)) ? "host" : word(event.group(2)),
          event.group(1) + (link < 0 ? "" : " link " + link));
    }
    var word = NVLINK5_WORD.matcher(text);
    return word.find() ? new XidMark(word(word.group(1)), "") : NONE;
  }

  /**
   * Whether a 149 carries one of the sub-codes that NVIDIA's decode table says to ignore, and to
   * blame software and host for: bits 20 to 25 of the first word, in which the word Fatal alone
   * decides nothing.
   */
  private static boolean isOfTheHost(int code, @Nullable String intrInfo) {
    if (code != 149 || intrInfo == null) {
      return false;
    }
    var subCode = Integer.parseUnsignedInt(intrInfo, 16) >>> 20 & 0x3f;
    return subCode == 38 || subCode == 40;
  }

  private static String word(String printed) {
    return printed.toLowerCase(Locale.ROOT).replace("-", "");
  }
}
