package dev.rekindle.detect.flightrecorder;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The part of the pickle format that holds data: dictionaries, lists, tuples, text, numbers. An
 * opcode that names a class or calls something is refused, as is a number of objects that no dump
 * has.
 *
 * <p>A pickle may contain itself. Nothing here follows its references, and nobody else may without
 * counting.
 */
final class Pickle {
  private static final int MOST_BYTES_OF_A_NUMBER = 8;

  private static final int PROTO = 0x80;
  private static final int FRAME = 0x95;

  private final ByteBuffer in;
  private final int mostObjects;
  private final List<@Nullable Object> stack = new ArrayList<>();
  private final Deque<Integer> marks = new ArrayDeque<>();
  private @Nullable Object[] memo = new @Nullable Object[1024];
  private int memoized;
  private int objects;

  private Pickle(byte[] bytes, int mostObjects) {
    this.mostObjects = mostObjects;
    in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Reads one value, up to its STOP.
   *
   * @param mostObjects most values in it
   * @return a map with keys of text or number, a list, a text, a Long, a Double, a Boolean, or null
   * @throws DumpException when it is cut off, or has what no dump has
   */
  static @Nullable Object read(byte[] bytes, int mostObjects) throws DumpException {
    try {
      return new Pickle(bytes, mostObjects).run();
    } catch (BufferUnderflowException e) {
      throw new DumpException("cut off: no STOP at the end of the pickle");
    } catch (IndexOutOfBoundsException | NoSuchElementException | ClassCastException e) {
      throw new DumpException("not a pickle of plain data");
    }
  }

  private @Nullable Object run() throws DumpException {
    if (byteOf() != PROTO || byteOf() > 5) {
      throw new DumpException("not a pickle of protocol 2 to 5");
    }
    while (true) {
      int opcode = byteOf();
      if (opcode == '.') {
        return pop();
      }
      step(opcode);
    }
  }

  private void step(int opcode) throws DumpException {
    switch (opcode) {
      case FRAME -> in.getLong();
      case 'N' -> push(null);
      case 0x88 -> push(true);
      case 0x89 -> push(false);
      case 'K' -> push((long) byteOf());
      case 'M' -> push((long) Short.toUnsignedInt(in.getShort()));
      case 'J' -> push((long) in.getInt());
      case 0x8a -> push(number(byteOf()));
      case 'G' -> push(Double.longBitsToDouble(Long.reverseBytes(in.getLong())));
      case 0x8c -> push(text(byteOf()));
      case 'X' -> push(text(in.getInt()));
      case '}' -> push(new HashMap<>());
      case ']' -> push(new ArrayList<>());
      case ')' -> push(List.of());
      case '(' -> mark();
      case '0' -> pop();
      case 0x85, 0x86, 0x87 -> tuple(stack.size() - (opcode - 0x84));
      case 't' -> tuple(unmark());
      case 'a' -> append(stack.size() - 1);
      case 'e' -> append(unmark());
      case 's' -> set(stack.size() - 2);
      case 'u' -> set(unmark());
      case 'q' -> memoize(byteOf());
      case 'r' -> memoize(in.getInt());
      case 0x94 -> memoize(memoized);
      case 'h' -> push(memo(byteOf()));
      case 'j' -> push(memo(in.getInt()));
      default ->
          throw new DumpException(
              "opcode 0x%02x is not of plain data: it is not executed".formatted(opcode));
    }
  }

  private int byteOf() {
    return Byte.toUnsignedInt(in.get());
  }

  private void push(@Nullable Object value) throws DumpException {
    count();
    stack.add(value);
  }

  private @Nullable Object pop() {
    if (!marks.isEmpty() && marks.peek() >= stack.size()) {
      throw new IndexOutOfBoundsException();
    }
    return stack.removeLast();
  }

  private void mark() throws DumpException {
    marks.push(stack.size());
    count();
  }

  private void count() throws DumpException {
    if (++objects > mostObjects) {
      throw new DumpException("more than " + mostObjects + " objects");
    }
  }

  private int unmark() throws DumpException {
    var at = marks.poll();
    if (at == null) {
      throw new DumpException("not a pickle of plain data");
    }
    return at;
  }

  private long number(int length) throws DumpException {
    if (length > MOST_BYTES_OF_A_NUMBER) {
      throw new DumpException("a number of " + length + " bytes");
    }
    long value = 0;
    int last = 0;
    for (int i = 0; i < length; i++) {
      last = in.get();
      value |= (last & 0xffL) << (8 * i);
    }
    boolean negative = last < 0 && length < MOST_BYTES_OF_A_NUMBER;
    return negative ? value - (1L << (8 * length)) : value;
  }

  private String text(int length) throws DumpException {
    if (length < 0 || length > in.remaining()) {
      throw new DumpException("cut off: a text of " + Integer.toUnsignedString(length) + " bytes");
    }
    var text = new String(in.array(), in.position(), length, StandardCharsets.UTF_8);
    in.position(in.position() + length);
    return text;
  }

  private List<@Nullable Object> from(int at) throws DumpException {
    if (at > stack.size()) {
      throw new DumpException("takes what lies below its mark");
    }
    return stack.subList(at, stack.size());
  }

  private void tuple(int at) throws DumpException {
    var values = from(at);
    var tuple = new ArrayList<>(values);
    values.clear();
    push(tuple);
  }

  @SuppressWarnings("unchecked")
  private void append(int at) throws DumpException {
    var values = from(at);
    if (!(stack.get(at - 1) instanceof ArrayList<?> list)) {
      throw new DumpException("appends to what is no list");
    }
    ((ArrayList<@Nullable Object>) list).addAll(values);
    values.clear();
  }

  @SuppressWarnings("unchecked")
  private void set(int at) throws DumpException {
    var values = from(at);
    if (!(stack.get(at - 1) instanceof Map<?, ?> known)) {
      throw new DumpException("sets a key of what is no map");
    }
    var map = (Map<Object, @Nullable Object>) known;
    for (int i = 0; i < values.size(); i += 2) {
      var key = values.get(i);
      // The hash of a list that contains itself has no end.
      if (!(key instanceof String || key instanceof Long)) {
        throw new DumpException("a key that is neither text nor number");
      }
      map.put(key, values.get(i + 1));
    }
    values.clear();
  }

  private void memoize(int index) throws DumpException {
    // Writers count up from 0; anything far beyond is there to make us allocate.
    if (index < 0 || index > 2 * memoized + 1024) {
      throw new DumpException("memo " + Integer.toUnsignedString(index) + " out of turn");
    }
    if (index >= memo.length) {
      memo = Arrays.copyOf(memo, Math.max(index + 1, memo.length * 2));
    }
    memo[index] = stack.getLast();
    memoized++;
    count();
  }

  private @Nullable Object memo(int index) throws DumpException {
    var value = index >= 0 && index < memo.length ? memo[index] : null;
    if (value == null) {
      throw new DumpException("memo " + Integer.toUnsignedString(index) + " was never written");
    }
    return value;
  }
}
