package dev.rekindle.detect.ncclog;

/**
 * Who prints a line of NCCL: {@code host:pid:tid [3] NCCL INFO ...}.
 *
 * @param id host and process; empty where the line has no such prefix
 * @param device the GPU that it names; -1 for none
 */
record NcclProcess(String id, long device) {
  private static final NcclProcess UNKNOWN = new NcclProcess("", -1);
  private static final int LONGEST = 128;

  /** Reads the last two words in front of the mark. */
  static NcclProcess of(String text) {
    int mark = text.indexOf(TransportLine.MARK);
    var before = mark < 0 ? "" : text.substring(0, mark).stripTrailing();
    long device = -1;
    if (before.endsWith("]") && before.lastIndexOf('[') >= 0) {
      int open = before.lastIndexOf('[');
      device = Math.max(-1, new Scan(before, open + 1).signed());
      before = before.substring(0, open).stripTrailing();
    }
    var word = before.substring(before.lastIndexOf(' ') + 1);
    int thread = word.lastIndexOf(':');
    int process = thread < 1 ? -1 : word.lastIndexOf(':', thread - 1);
    return process < 0 || thread > LONGEST || new Scan(word, process + 1).number() < 0
        ? UNKNOWN
        : new NcclProcess(word.substring(0, thread), device);
  }
}
