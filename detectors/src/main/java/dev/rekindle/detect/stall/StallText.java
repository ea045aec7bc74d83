package dev.rekindle.detect.stall;

/** A report for people. */
final class StallText {
  private StallText() {}

  static String of(StallReport report) {
    var text = new StringBuilder();
    if (report.culprits().isEmpty()) {
      text.append("No rank can be named.\n");
    }
    for (var culprit : report.culprits()) {
      text.append("rank %d: %s\n".formatted(culprit.rank(), printable(culprit.reason())));
    }
    text.append("class: %s\n".formatted(report.stallClass().word()));
    text.append("confidence: %s\n".formatted(report.confidence().word()));
    text.append("evidence:\n");
    for (var fact : report.evidence()) {
      text.append("  ").append(printable(fact)).append('\n');
    }
    return text.toString();
  }

  /** Names come from a program: a control character would reach the terminal, or forge a line. */
  private static String printable(String fact) {
    var shown = new StringBuilder(fact.length());
    fact.codePoints().forEach(c -> shown.appendCodePoint(isControl(c) ? '?' : c));
    return shown.toString();
  }

  private static boolean isControl(int c) {
    return Character.isISOControl(c)
        || Character.getType(c) == Character.FORMAT
        || Character.getType(c) == Character.LINE_SEPARATOR
        || Character.getType(c) == Character.PARAGRAPH_SEPARATOR;
  }
}
