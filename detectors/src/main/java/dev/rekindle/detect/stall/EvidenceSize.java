package dev.rekindle.detect.stall;

import dev.rekindle.api.RankCalls;
import dev.rekindle.api.RankDevice;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.Frame;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.Line;
import dev.rekindle.api.RankEvidence.Operation;
import java.util.Collection;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes evidence takes as JSON, at most: as an agent sends it, and as the API server keeps
 * it, which writes {@code <}, {@code >} and {@code &} as six characters each.
 *
 * <p>Numbers below are the names of fields with what is around them.
 */
final class EvidenceSize {
  private static final int CORE = 500;
  private static final int GROUP = 120;
  private static final int OPERATION = 115;
  private static final int LINE = 330;
  private static final int FRAME = 40;
  private static final int CALLS = 90;
  private static final int DEVICE = 130;
  private static final int ESCAPED = 6;

  private EvidenceSize() {}

  /** What is always sent of a rank. */
  static int core(RankEvidence rank) {
    return CORE
        + text(rank.pod())
        + text(rank.podUid())
        + sum(rank.addresses(), EvidenceSize::text)
        + device(rank.device());
  }

  /** The groups of a dump, and how its calls follow each other. */
  static int dump(RankEvidence rank) {
    return sum(rank.groups(), EvidenceSize::group) + calls(rank.calls());
  }

  static int lines(RankEvidence rank) {
    return sum(rank.lines(), EvidenceSize::line);
  }

  static int stack(RankEvidence rank) {
    return sum(rank.stack(), EvidenceSize::frame);
  }

  /** All of a rank. */
  static int of(RankEvidence rank) {
    return core(rank) + dump(rank) + lines(rank) + stack(rank);
  }

  private static int group(Group group) {
    Long idle = group.idleMillis();
    return GROUP
        + text(group.name())
        + text(group.description())
        + text(group.ranks())
        + number(group.enqueued())
        + number(group.completed())
        + number(idle == null ? 0 : idle)
        + sum(group.operations(), EvidenceSize::operation);
  }

  private static int operation(Operation operation) {
    Integer order = operation.order();
    return OPERATION
        + number(operation.sequence())
        + text(operation.operation())
        + text(operation.shape())
        + number(order == null ? 0 : order);
  }

  private static int line(Line line) {
    var group = line.group();
    return LINE
        + (group == null ? 0 : text(group.name()) + text(group.description()))
        + (group == null ? 0 : number(group.rank()))
        + number(line.number())
        + number(line.enqueued())
        + number(line.completed())
        + number(line.millis())
        + text(line.operation())
        + text(line.text())
        + text(line.host())
        + text(line.peer())
        + sum(line.ranks(), rank -> 1 + number(rank));
  }

  private static int frame(Frame frame) {
    return FRAME + text(frame.function()) + text(frame.file()) + number(frame.line());
  }

  private static int calls(@Nullable RankCalls calls) {
    return calls == null
        ? 0
        : CALLS
            + text(calls.group())
            + text(calls.called())
            + text(calls.usual())
            + number(calls.period())
            + number(calls.since())
            + number(calls.sequence());
  }

  private static int device(@Nullable RankDevice device) {
    return device == null ? 0 : DEVICE + text(device.gpu());
  }

  private static <T> int sum(Collection<T> all, ToIntFunction<T> size) {
    return all.stream().mapToInt(size).sum();
  }

  private static int number(long number) {
    return Long.toString(number).length();
  }

  /** With its quotes and a comma. */
  private static int text(String text) {
    int bytes = 3;
    for (int i = 0; i < text.length(); i++) {
      bytes += bytes(text.charAt(i));
    }
    return bytes;
  }

  private static int bytes(char c) {
    if (c < ' ' || c == '<' || c == '>' || c == '&' || c == '\u2028' || c == '\u2029') {
      return ESCAPED;
    }
    if (c == '"' || c == '\\') {
      return 2;
    }
    // Two halves of a pair are four bytes together; one alone may become a sign of its own.
    return c < 0x7f ? 1 : c < 0x800 ? 2 : 3;
  }
}
