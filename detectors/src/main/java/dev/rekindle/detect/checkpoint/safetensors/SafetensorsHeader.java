package dev.rekindle.detect.checkpoint.safetensors;

import dev.rekindle.detect.checkpoint.json.Json;
import dev.rekindle.detect.checkpoint.json.JsonException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalInt;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the header of a file says.
 *
 * @param tensors in the order of their data, without a gap
 */
record SafetensorsHeader(List<Tensor> tensors) {
  private static final int MOST_VALUES = 4_000_000;
  private static final String METADATA = "__metadata__";

  /**
   * One tensor.
   *
   * @param begin where its data begins, behind the header
   * @param end where it ends
   */
  record Tensor(long begin, long end) {}

  /**
   * Reads a header.
   *
   * @throws JsonException when it is none
   */
  static SafetensorsHeader read(ByteBuffer json) throws JsonException {
    var tensors = new ArrayList<Tensor>();
    for (var entry : Json.object(json, MOST_VALUES).entrySet()) {
      if (!entry.getKey().equals(METADATA)) {
        tensors.add(tensor(entry.getValue()));
      }
    }
    tensors.sort(Comparator.comparingLong(Tensor::begin).thenComparingLong(Tensor::end));
    var at = 0L;
    for (var tensor : tensors) {
      if (tensor.begin() != at) {
        throw new JsonException("the tensors do not lie one behind the other");
      }
      at = tensor.end();
    }
    return new SafetensorsHeader(tensors);
  }

  /** Length of all data. */
  long dataBytes() {
    return tensors.isEmpty() ? 0 : tensors.getLast().end();
  }

  /** Where the data of each tensor begins in the file, given where all data does. */
  NavigableSet<Long> starts(long data) {
    var starts = new TreeSet<Long>();
    tensors.forEach(tensor -> starts.add(data + tensor.begin()));
    return starts;
  }

  private static Tensor tensor(@Nullable Object value) throws JsonException {
    if (value instanceof Map<?, ?> map
        && map.get("data_offsets") instanceof List<?> offsets
        && offsets.size() == 2
        && offsets.get(0) instanceof Long begin
        && offsets.get(1) instanceof Long end
        && 0 <= begin
        && begin <= end
        && end < Long.MAX_VALUE / 2
        && map.get("dtype") instanceof String type
        && map.get("shape") instanceof List<?> shape) {
      var bits = bits(type);
      if (bits.isPresent() && bytes(bits.getAsInt(), shape) != end - begin) {
        throw new JsonException("the data of a tensor does not have the length of its shape");
      }
      return new Tensor(begin, end);
    }
    throw new JsonException("a tensor without its place");
  }

  private static long bytes(int bits, List<?> shape) throws JsonException {
    var all = (long) bits;
    try {
      for (var side : shape) {
        if (!(side instanceof Long length) || length < 0) {
          throw new JsonException("a shape that is none");
        }
        all = Math.multiplyExact(all, length);
      }
    } catch (ArithmeticException e) {
      throw new JsonException("a tensor that is too big");
    }
    return Math.ceilDiv(all, 8L);
  }

  /** Bits of one element; empty for a type that came later. */
  private static OptionalInt bits(String type) {
    return switch (type) {
      case "F64", "I64", "U64", "C64" -> OptionalInt.of(64);
      case "F32", "I32", "U32" -> OptionalInt.of(32);
      case "F16", "BF16", "I16", "U16" -> OptionalInt.of(16);
      case "I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2", "F8_E8M0" -> OptionalInt.of(8);
      default -> OptionalInt.empty();
    };
  }
}
