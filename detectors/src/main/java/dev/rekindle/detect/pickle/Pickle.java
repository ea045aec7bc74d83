package dev.rekindle.detect.pickle;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the stack machine of the pickle format (protocols 2 to 5) without its classes: what a class
 * or a call would be is left to {@link PickleValues}, which keeps their names at most.
 *
 * <p>A pickle may contain itself. Nothing here follows its references, and no caller may without
 * counting.
 */
public final class Pickle {
  private static final int LONGEST_NAME = 1_000;
  private static final int PROTO = 0x80;
  private static final String NO_PICKLE = "not a pickle of plain data";

  private final PickleInput in;
  private final PickleValues values;
  private final PickleScalars scalars;
  private final PickleStack stack;
  private final PickleMemo memo;

  private Pickle(PickleInput in, PickleValues values, PickleBounds bounds) {
    this.in = in;
    this.values = values;
    this.scalars = new PickleScalars(in, bounds, values.takesObjects());
    this.stack = new PickleStack(bounds);
    this.memo = new PickleMemo(bounds.memo());
  }

  /**
   * Reads one value, up to its STOP.
   *
   * @return what {@code values} has made of it
   * @throws PickleException when it is cut off, or has what it may not have
   * @throws IOException when reading fails
   */
  public static @Nullable Object read(PickleInput in, PickleValues values, PickleBounds bounds)
      throws IOException {
    try {
      return new Pickle(in, values, bounds).run();
    } catch (IndexOutOfBoundsException | ClassCastException | IllegalArgumentException e) {
      throw new PickleException(NO_PICKLE);
    }
  }

  private @Nullable Object run() throws IOException {
    if (in.oneByte() != PROTO || in.oneByte() > 5) {
      throw new PickleException("not a pickle of protocol 2 to 5");
    }
    while (true) {
      int opcode = in.oneByte();
      if (opcode == '.') {
        return stack.pop();
      }
      if (!isData(opcode) && !(values.takesObjects() && isObject(opcode))) {
        if (opcode == 0) {
          throw PickleException.cutOff("zeros where an opcode is due: not written to its end");
        }
        throw new PickleException(
            "opcode 0x%02x is not of plain data: it is not executed".formatted(opcode));
      }
    }
  }

  /** Does what an opcode of data says; false for any other. */
  private boolean isData(int opcode) throws IOException {
    switch (opcode) {
      case 0x95 -> in.skip(8); // the length of a frame
      case 'N' -> stack.push(null);
      case 0x88 -> stack.push(true);
      case 0x89 -> stack.push(false);
      case 'K' -> stack.push((long) in.oneByte());
      case 'M' -> stack.push(in.number(2));
      case 'J' -> stack.push((long) in.fourBytes());
      case 0x8a -> stack.push(scalars.number(in.oneByte()));
      case 'G' -> stack.push(Double.longBitsToDouble(Long.reverseBytes(in.number(8))));
      case 0x8c -> stack.push(scalars.text(in.oneByte()));
      case 'X' -> stack.push(scalars.text(Integer.toUnsignedLong(in.fourBytes())));
      case '}' -> stack.push(values.dictionary(stack.size() == 0 ? null : stack.top()));
      case ']' -> stack.push(values.list());
      case ')' -> stack.push(values.tuple(List.of()));
      case '(' -> stack.mark();
      case '0' -> stack.pop();
      case 0x85, 0x86, 0x87 -> tuple(stack.size() - (opcode - 0x84));
      case 't' -> tuple(stack.unmark());
      case 'a' -> append(stack.size() - 1);
      case 'e' -> append(stack.unmark());
      case 's' -> put(stack.size() - 2);
      case 'u' -> put(stack.unmark());
      case 'q' -> memoize(in.oneByte());
      case 'r' -> memoize(in.fourBytes());
      case 0x94 -> memoize(memo.size());
      case 'h' -> stack.refer(memo.get(in.oneByte()));
      case 'j' -> stack.refer(memo.get(in.fourBytes()));
      default -> {
        return false;
      }
    }
    return true;
  }

  /** The same for an opcode of classes, of calls, or of bytes, which are skipped. */
  private boolean isObject(int opcode) throws IOException {
    switch (opcode) {
      case 'c' -> stack.push(values.global(in.line(LONGEST_NAME), in.line(LONGEST_NAME)));
      case 0x93 -> {
        var name = (String) stack.pop();
        stack.push(values.global(String.valueOf(stack.pop()), String.valueOf(name)));
      }
      case 'R', 0x81 -> {
        var arguments = stack.pop();
        stack.push(values.made(stack.pop(), arguments));
      }
      case 0x92 -> {
        stack.pop();
        var arguments = stack.pop();
        stack.push(values.made(stack.pop(), arguments));
      }
      case 'b' -> {
        var state = stack.pop();
        values.build(stack.top(), state);
      }
      case 'Q' -> {
        stack.pop();
        stack.push(null);
      }
      case '2' -> stack.push(stack.top());
      case '1' -> stack.from(stack.unmark()).clear();
      case 0x8f -> stack.push(values.list());
      case 0x90 -> append(stack.unmark());
      case 0x91 -> tuple(stack.unmark());
      case 'C' -> bytes(in.oneByte());
      case 'B' -> bytes(Integer.toUnsignedLong(in.fourBytes()));
      case 0x8e, 0x96 -> bytes(in.number(8));
      case 0x8d -> stack.push(scalars.text(in.number(8)));
      default -> {
        return false;
      }
    }
    return true;
  }

  private void bytes(long length) throws IOException {
    in.skip(length);
    stack.push(null);
  }

  private void tuple(int at) throws PickleException {
    var of = stack.from(at);
    var tuple = values.tuple(of);
    of.clear();
    stack.push(tuple);
  }

  private void append(int at) throws PickleException {
    var of = stack.from(at);
    values.append(stack.get(at - 1), of);
    of.clear();
  }

  private void put(int at) throws PickleException {
    var size = stack.size();
    if (at > size) {
      throw new PickleException("takes what lies below its mark");
    }
    var dictionary = stack.get(at - 1);
    for (int i = at; i < size; i += 2) {
      values.put(dictionary, stack.get(i), stack.get(i + 1));
    }
    stack.from(at).clear();
  }

  private void memoize(int index) throws PickleException {
    memo.put(index, stack.top());
    stack.count();
  }
}
