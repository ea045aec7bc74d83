package dev.rekindle.detect.sxid;

/**
 * One SXid as the driver printed it.
 *
 * @param code the SXid, five digits
 * @param pci address of the NVSwitch, {@code 0000:c1:00}
 * @param severity what the driver says of it
 * @param unit {@code link 48} or {@code instance 3 chiplet 0}; may be empty
 * @param text what follows the code
 */
public record SxidEvent(int code, String pci, Severity severity, String unit, String text) {
  /** The word that the driver puts before the text. */
  public enum Severity {
    FATAL("fatal"),
    NON_FATAL("nonfatal"),
    CORRECTABLE("correctable"),
    /** Firmware, thermal and optics errors carry no word. */
    UNTAGGED("untagged");

    private final String word;

    Severity(String word) {
      this.word = word;
    }

    /** The word for rules. */
    public String word() {
      return word;
    }
  }
}
