package dev.rekindle.detect.ncclog;

import dev.rekindle.detect.ncclog.LogFact.IbAsyncEvent;
import dev.rekindle.detect.ncclog.LogFact.IbCompletion;
import dev.rekindle.detect.ncclog.LogFact.PeerClosed;
import java.util.Optional;

/**
 * A warning of NCCL: {@code host:pid:tid [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : ...}, with
 * or without a time in front, and with other marks in other versions.
 */
final class WarnLine {
  static final String MARK = "NCCL WARN ";

  private static final String[] OTHERS = {MARK, "NCCL INFO ", "NCCL TRACE "};

  private static final String COMPLETION = "Got completion from peer ";
  private static final String FATAL = "async fatal event";
  private static final String CLOSED = "Connection closed by remote peer ";

  /** What NCCL puts before events that do not end the device, oldest first. */
  private static final String[] EVENTS = {"Got async event : ", "Got non-fatal async event: "};

  private WarnLine() {}

  /** What a line warns of; empty for warnings that name neither a peer nor an adapter. */
  static Optional<LogFact> read(String text) {
    int mark = text.indexOf(MARK);
    if (mark < 0) {
      return Optional.empty();
    }
    var reporter = reporter(text.substring(0, mark));
    return read(ownText(text, mark + MARK.length()), reporter, mark + MARK.length());
  }

  /** Processes share a stream: what another one has written into the line is not of the warning. */
  private static String ownText(String text, int from) {
    int end = text.length();
    for (var other : OTHERS) {
      int found = text.indexOf(other, from);
      end = found < 0 ? end : Math.min(end, found);
    }
    return text.substring(0, end);
  }

  private static Optional<LogFact> read(String text, String reporter, int from) {
    int closed = text.indexOf(CLOSED, from);
    if (closed >= 0) {
      var peer = address(new Scan(text, closed + CLOSED.length()));
      return peer.isEmpty() ? Optional.empty() : Optional.of(new PeerClosed(reporter, peer));
    }
    if (!text.startsWith("NET/IB", from)) {
      return Optional.empty();
    }
    int completion = text.indexOf(COMPLETION, from);
    if (completion >= 0) {
      return completion(reporter, new Scan(text, completion + COMPLETION.length()));
    }
    return event(reporter, text, from);
  }

  private static Optional<LogFact> completion(String reporter, Scan scan) {
    var peer = address(scan);
    if (!scan.behind(" with ") || !(scan.skip("status=") || scan.skip("error "))) {
      return Optional.empty();
    }
    long status = scan.number();
    if (status < 0) {
      // 2.30 writes the name, and the number behind it.
      scan.until("( ,", 0);
      status = scan.skip("(") ? scan.number() : -1;
    }
    if (peer.isEmpty() || status < 0 || status > 255) {
      return Optional.empty();
    }
    var hca = scan.behind(" hca ") ? scan.until(" ,;", LogFact.LONGEST_TEXT) : "";
    return Optional.of(new IbCompletion(reporter, peer, (int) status, hca));
  }

  private static Optional<LogFact> event(String reporter, String text, int from) {
    int fatal = text.indexOf(FATAL, from);
    if (fatal >= 0) {
      var what = text.substring(fatal + FATAL.length());
      // A queue in error may be the other end's doing.
      boolean own = !what.startsWith(" on CQ") && !what.startsWith(" on QP");
      return Optional.of(
          new IbAsyncEvent(
              reporter, device(text, from, fatal), own, NcclLines.cut(text.substring(fatal))));
    }
    for (var word : EVENTS) {
      int found = text.indexOf(word, from);
      if (found >= 0) {
        var what = NcclLines.cut(text.substring(found + word.length()).strip());
        return Optional.of(new IbAsyncEvent(reporter, device(text, from, found), false, what));
      }
    }
    return Optional.empty();
  }

  /** {@code NET/IB : mlx5_0:1 }, from where the warning begins to where the event does. */
  private static String device(String text, int from, int event) {
    var scan = new Scan(text.substring(0, event), from);
    scan.until(" :", 0);
    scan.blanks();
    scan.skip(":");
    scan.blanks();
    return scan.until(" ", LogFact.LONGEST_TEXT);
  }

  private static String address(Scan scan) {
    scan.blanks();
    return scan.until("< ,;", LogFact.LONGEST_TEXT);
  }

  /**
   * The host of the last {@code host:pid:tid}, as the beginning of another line may stand before
   * it; empty where no word has that form.
   */
  private static String reporter(String before) {
    var reporter = "";
    var scan = new Scan(before, 0);
    while (scan.at() < before.length()) {
      scan.blanks();
      var word = scan.until(" \t", NcclLines.LONGEST);
      int tid = word.lastIndexOf(':');
      int pid = tid < 1 ? -1 : word.lastIndexOf(':', tid - 1);
      if (pid > 0 && digits(word, pid + 1, tid) && digits(word, tid + 1, word.length())) {
        reporter = NcclLines.cut(host(word, pid));
      }
    }
    return reporter;
  }

  /** What may be a host's name before that place; something else may be glued to it. */
  private static String host(String word, int end) {
    int from = end;
    while (from > 0 && isOfHost(word.charAt(from - 1))) {
      from--;
    }
    return word.substring(from, end);
  }

  private static boolean isOfHost(char c) {
    return Scan.isDigit(c)
        || (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || c == '-'
        || c == '.'
        || c == '_';
  }

  private static boolean digits(String word, int from, int to) {
    for (int i = from; i < to; i++) {
      if (!Scan.isDigit(word.charAt(i))) {
        return false;
      }
    }
    return to > from;
  }
}
