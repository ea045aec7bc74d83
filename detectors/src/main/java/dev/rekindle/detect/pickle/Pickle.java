package dev.rekindle.detect.pickle;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
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
  private static final int MOST_BYTES_OF_A_NUMBER = 8;
  private static final int REFERENCES_OF_AN_OBJECT = 4;
  private static final int LONGEST_NAME = 1_000;
  private static final int PROTO = 0x80;
  private static final String NO_PICKLE = "not a pickle of plain data";

  private final PickleInput in;
  private final PickleValues values;
  private final PickleBounds bounds;
  private final ArrayList<@Nullable Object> stack = new ArrayList<>();
  private final PickleMemo memo;
  private int[] marks = new int[16];
  private int marked;
  private long objects;
  private long references;
  private long textBytes;

  private Pickle(PickleInput in, PickleValues values, PickleBounds bounds) {
    this.in = in;
    this.values = values;
    this.bounds = bounds;
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
        return pop();
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
      case 'N' -> push(null);
      case 0x88 -> push(true);
      case 0x89 -> push(false);
      case 'K' -> push((long) in.oneByte());
      case 'M' -> push(in.number(2));
      case 'J' -> push((long) in.fourBytes());
      case 0x8a -> push(number(in.oneByte()));
      case 'G' -> push(Double.longBitsToDouble(Long.reverseBytes(in.number(8))));
      case 0x8c -> push(text(in.oneByte()));
      case 'X' -> push(text(Integer.toUnsignedLong(in.fourBytes())));
      case '}' -> push(values.dictionary(stack.isEmpty() ? null : stack.getLast()));
      case ']' -> push(values.list());
      case ')' -> push(values.tuple(List.of()));
      case '(' -> mark();
      case '0' -> pop();
      case 0x85, 0x86, 0x87 -> tuple(stack.size() - (opcode - 0x84));
      case 't' -> tuple(unmark());
      case 'a' -> append(stack.size() - 1);
      case 'e' -> append(unmark());
      case 's' -> put(stack.size() - 2);
      case 'u' -> put(unmark());
      case 'q' -> memoize(in.oneByte());
      case 'r' -> memoize(in.fourBytes());
      case 0x94 -> memoize(memo.size());
      case 'h' -> refer(memo.get(in.oneByte()));
      case 'j' -> refer(memo.get(in.fourBytes()));
      default -> {
        return false;
      }
    }
    return true;
  }

  /** The same for an opcode of classes, of calls, or of bytes, which are skipped. */
  private boolean isObject(int opcode) throws IOException {
    switch (opcode) {
      case 'c' -> push(values.global(in.line(LONGEST_NAME), in.line(LONGEST_NAME)));
      case 0x93 -> {
        var name = (String) pop();
        push(values.global(String.valueOf(pop()), String.valueOf(name)));
      }
      case 'R', 0x81 -> {
        var arguments = pop();
        push(values.made(pop(), arguments));
      }
      case 0x92 -> {
        pop();
        var arguments = pop();
        push(values.made(pop(), arguments));
      }
      case 'b' -> {
        var state = pop();
        values.build(top(), state);
      }
      case 'Q' -> {
        pop();
        push(null);
      }
      case '2' -> push(top());
      case '1' -> from(unmark()).clear();
      case 0x8f -> push(values.list());
      case 0x90 -> append(unmark());
      case 0x91 -> tuple(unmark());
      case 'C' -> bytes(in.oneByte());
      case 'B' -> bytes(Integer.toUnsignedLong(in.fourBytes()));
      case 0x8e, 0x96 -> bytes(in.number(8));
      case 0x8d -> push(text(in.number(8)));
      default -> {
        return false;
      }
    }
    return true;
  }

  private void push(@Nullable Object value) throws PickleException {
    count();
    add(value);
  }

  /**
   * One that is there already takes no more than its place in another one. A dump of PyTorch has
   * the frames of all its stacks so, of which there may be a hundred to an entry.
   */
  private void refer(@Nullable Object value) throws PickleException {
    if (++references % REFERENCES_OF_AN_OBJECT == 0) {
      count();
    }
    add(value);
  }

  private void add(@Nullable Object value) throws PickleException {
    if (stack.size() >= bounds.stack()) {
      throw new PickleException("more than " + bounds.stack() + " values on the stack");
    }
    stack.add(value);
  }

  private @Nullable Object pop() {
    if (marked > 0 && marks[marked - 1] >= stack.size()) {
      throw new IndexOutOfBoundsException();
    }
    return stack.remove(stack.size() - 1);
  }

  private @Nullable Object top() {
    return stack.get(stack.size() - 1);
  }

  private void mark() throws PickleException {
    count();
    if (marked >= bounds.stack()) {
      throw new PickleException("more than " + bounds.stack() + " marks");
    }
    if (marked == marks.length) {
      marks = Arrays.copyOf(marks, 2 * marked);
    }
    marks[marked++] = stack.size();
  }

  private int unmark() {
    return marks[--marked];
  }

  private void count() throws PickleException {
    if (++objects > bounds.objects()) {
      throw new PickleException("more than " + bounds.objects() + " objects");
    }
  }

  private long number(int length) throws IOException {
    if (length > MOST_BYTES_OF_A_NUMBER) {
      if (values.takesObjects()) {
        // The seed of a generator, say: not needed.
        in.skip(length);
        return Long.MIN_VALUE;
      }
      throw new PickleException("a number of " + length + " bytes");
    }
    long value = in.number(length);
    boolean negative =
        length > 0 && length < MOST_BYTES_OF_A_NUMBER && (value >> (8 * length - 1) & 1) != 0;
    return negative ? value - (1L << (8 * length)) : value;
  }

  private String text(long length) throws IOException {
    textBytes += Math.max(0, length);
    if (length < 0 || textBytes > bounds.textBytes()) {
      throw new PickleException("more than " + bounds.textBytes() + " bytes of text");
    }
    return in.text(length);
  }

  private void bytes(long length) throws IOException {
    in.skip(length);
    push(null);
  }

  private List<@Nullable Object> from(int at) throws PickleException {
    if (at > stack.size()) {
      throw new PickleException("takes what lies below its mark");
    }
    return stack.subList(at, stack.size());
  }

  private void tuple(int at) throws PickleException {
    var of = from(at);
    var tuple = values.tuple(of);
    of.clear();
    push(tuple);
  }

  private void append(int at) throws PickleException {
    var of = from(at);
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
    from(at).clear();
  }

  private void memoize(int index) throws PickleException {
    memo.put(index, top());
    count();
  }
}
