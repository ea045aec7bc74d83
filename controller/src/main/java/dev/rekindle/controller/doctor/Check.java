package dev.rekindle.controller.doctor;

/**
 * One check of a job.
 *
 * @param name what was checked
 * @param status how it is
 * @param detail what was found
 * @param advice what to do, in one line; empty where nothing is to be done
 */
public record Check(String name, Status status, String detail, String advice) {
  /** How it is. */
  public enum Status {
    OK("ok"),
    MISSING("missing"),
    UNKNOWN("unknown");

    private final String word;

    Status(String word) {
      this.word = word;
    }

    /** The word that is printed. */
    public String word() {
      return word;
    }
  }

  static Check ok(String name, String detail) {
    return new Check(name, Status.OK, detail, "");
  }

  static Check missing(String name, String detail, String advice) {
    return new Check(name, Status.MISSING, detail, advice);
  }

  static Check unknown(String name, String detail, String advice) {
    return new Check(name, Status.UNKNOWN, detail, advice);
  }
}
