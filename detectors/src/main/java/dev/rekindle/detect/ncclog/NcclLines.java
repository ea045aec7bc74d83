package dev.rekindle.detect.ncclog;

import dev.rekindle.detect.ncclog.LogFact.CollectiveMismatch;
import dev.rekindle.detect.ncclog.LogFact.DeviceError;
import dev.rekindle.detect.ncclog.LogFact.PeersFailed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the lines of PyTorch's watchdog and of NCCL, with whatever a launcher has put in front of
 * them.
 */
public final class NcclLines {
  /** What is inspected of a line, in characters. */
  public static final int LONGEST = 4 * 1024;

  /** A global rank above this is none. */
  private static final int MOST_RANKS = 1_000_000;

  private static final String BARRIER = " failed to pass monitoredBarrier in ";
  private static final String MISMATCH = "Detected mismatch between collectives on ranks. Rank ";
  private static final String RUNS = " is running collective: ";
  private static final String CUDA = "CUDA error: ";
  private static final String CUDA_CODE = "CUDA_ERROR_";

  private NcclLines() {}

  /** Whether a line may hold a fact: cheap, and true for few lines of a training log. */
  public static boolean mayHold(String line) {
    return line.contains("ProcessGroup")
        || line.contains(WarnLine.MARK)
        || line.contains(BARRIER)
        || line.contains(MISMATCH)
        || line.contains(CUDA)
        || line.contains(CUDA_CODE);
  }

  /** What a line says; empty for all lines but a few. */
  public static Optional<NcclLine> read(String raw) {
    var line = raw.length() <= LONGEST ? raw : raw.substring(0, LONGEST);
    if (!mayHold(line)) {
      return Optional.empty();
    }
    var text = withoutEscapes(ofRuntime(line));
    var warn = WarnLine.read(text);
    if (warn.isPresent()) {
      return warn.map(fact -> of(text, text.indexOf(WarnLine.MARK), -1, fact));
    }
    var barrier = barrier(text);
    if (barrier.isPresent()) {
      return barrier.map(fact -> of(text, text.indexOf(BARRIER), GlogHeader.millis(text), fact));
    }
    var mismatch = mismatch(text);
    if (mismatch.isPresent()) {
      return mismatch.map(fact -> of(text, text.indexOf(MISMATCH), GlogHeader.millis(text), fact));
    }
    var header = GlogHeader.find(text);
    if (header.isPresent()) {
      var found = header.get();
      var fact = WatchdogLine.read(text, found.end());
      if (fact.isPresent()) {
        return fact.map(f -> of(text, found.start(), found.millis(), f));
      }
    }
    return cuda(text)
        .map(fact -> of(text, text.length(), header.map(GlogHeader::millis).orElse(-1L), fact));
  }

  /** A container runtime may keep lines in JSON: what it adds comes after a written line break. */
  private static String ofRuntime(String line) {
    int end = line.startsWith("{") ? line.indexOf("\\n\"") : -1;
    return end < 0 ? line : line.substring(0, end);
  }

  private static NcclLine of(String text, int before, long millis, LogFact fact) {
    return new NcclLine(rank(text, before), millis, fact);
  }

  /** The rank of the last {@code [rank7]:} in front of the text itself. */
  private static int rank(String text, int before) {
    int mark = text.lastIndexOf("[rank", before);
    if (mark < 0) {
      return -1;
    }
    var scan = new Scan(text, mark + "[rank".length());
    long rank = scan.number();
    return rank >= 0 && rank < MOST_RANKS && scan.skip("]:") ? (int) rank : -1;
  }

  private static Optional<LogFact> barrier(String text) {
    int end = text.indexOf(BARRIER);
    int start = end < 0 ? -1 : text.lastIndexOf("Rank", end);
    if (start < 0) {
      return Optional.empty();
    }
    var scan = new Scan(text, start + "Rank".length());
    scan.skip("s");
    List<Integer> ranks = new ArrayList<>();
    do {
      scan.blanks();
      long rank = scan.number();
      if (rank < 0 || rank >= MOST_RANKS) {
        break;
      }
      ranks.add((int) rank);
    } while (scan.skip(",") && ranks.size() < LogFact.MOST_RANKS);
    return ranks.isEmpty() ? Optional.empty() : Optional.of(new PeersFailed(ranks));
  }

  private static Optional<LogFact> mismatch(String text) {
    var scan = new Scan(text, 0);
    if (!scan.behind(MISMATCH)) {
      return Optional.empty();
    }
    long first = scan.number();
    if (first < 0 || first >= MOST_RANKS || !scan.skip(RUNS)) {
      return Optional.empty();
    }
    int from = scan.at();
    if (!scan.behind(", but Rank ")) {
      return Optional.empty();
    }
    var firstCall = call(text.substring(from, scan.at() - ", but Rank ".length()));
    long second = scan.number();
    if (second < 0 || second >= MOST_RANKS || !scan.skip(RUNS)) {
      return Optional.empty();
    }
    int end = text.indexOf("Collectives differ", scan.at());
    var secondCall = call(text.substring(scan.at(), end < 0 ? text.length() : end));
    return Optional.of(new CollectiveMismatch(first, firstCall, second, secondCall));
  }

  /** {@code CollectiveFingerPrint(SequenceNumber=3, OpType=ALLREDUCE, TensorShape=[20], ...)}. */
  private static String call(String fingerprint) {
    var scan = new Scan(fingerprint, 0);
    if (!scan.behind("OpType=")) {
      return cut(fingerprint.strip());
    }
    var operation = scan.until(",)", LogFact.LONGEST_TEXT);
    return cut(
        scan.behind("TensorShape=")
            ? operation + " of " + scan.until("]", LogFact.LONGEST_TEXT) + "]"
            : operation);
  }

  private static Optional<LogFact> cuda(String text) {
    int error = text.indexOf(CUDA);
    if (error >= 0) {
      var what = cut(text.substring(error + CUDA.length()).strip());
      return what.isEmpty() ? Optional.empty() : Optional.of(new DeviceError(what));
    }
    int code = text.indexOf(CUDA_CODE);
    if (code < 0) {
      return Optional.empty();
    }
    int end = code;
    while (end < text.length() && (text.charAt(end) == '_' || isCapital(text.charAt(end)))) {
      end++;
    }
    return Optional.of(new DeviceError(cut(text.substring(code, end))));
  }

  private static boolean isCapital(char c) {
    return c >= 'A' && c <= 'Z';
  }

  static String cut(String text) {
    return text.length() <= LogFact.LONGEST_TEXT ? text : text.substring(0, LogFact.LONGEST_TEXT);
  }

  /** Without the escape sequences of colours, which launchers put around prefixes. */
  static String withoutEscapes(String line) {
    if (line.indexOf('\u001b') < 0) {
      return line;
    }
    var text = new StringBuilder(line.length());
    for (int i = 0; i < line.length(); i++) {
      if (line.charAt(i) != '\u001b') {
        text.append(line.charAt(i));
      } else if (i + 1 < line.length() && line.charAt(i + 1) == '[') {
        i += 2;
        while (i < line.length() && (line.charAt(i) < '@' || line.charAt(i) > '~')) {
          i++;
        }
      }
    }
    return text.toString();
  }
}
