package dev.rekindle.detect.flightrecorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlainPickleTest {
  private static @Nullable Object read(byte[] pickle) throws DumpException {
    return PlainPickle.read(pickle, 4_000_000);
  }

  /** A pickle of protocol 2: texts are their characters, numbers are bytes. */
  static byte[] pickle(Object... parts) {
    var bytes = new ByteArrayOutputStream();
    bytes.write(0x80);
    bytes.write(2);
    for (var part : parts) {
      if (part instanceof String text) {
        bytes.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
      } else {
        bytes.write((int) part);
      }
    }
    return bytes.toByteArray();
  }

  /** The frames of PyTorch's stacks are references to those of the first one. */
  @Test
  void fourReferencesCountAsOneObject() throws DumpException {
    var references = pickle("]X", 1, 0, 0, 0, "a", "q", 0, "a", "h\0a".repeat(400), ".");
    assertThat((List<?>) PlainPickle.read(references, 103)).hasSize(401);
    assertThatThrownBy(() -> PlainPickle.read(references, 102)).hasMessage("more than 102 objects");
  }

  private static Stream<List<Object>> values() {
    return Stream.of(
        List.of(pickle("K", 7, "."), 7L),
        List.of(pickle("M", 0xff, 0xff, "."), 65535L),
        List.of(pickle("J", 0xff, 0xff, 0xff, 0xff, "."), -1L),
        List.of(pickle(0x8a, 0, "."), 0L),
        List.of(pickle(0x8a, 1, 0xff, "."), -1L),
        List.of(pickle(0x8a, 2, 0xff, 0, "."), 255L),
        List.of(pickle(0x8a, 8, 0, 0, 0, 0, 0, 0, 0, 0x80, "."), Long.MIN_VALUE),
        List.of(pickle("G", 0x3f, 0xf8, 0, 0, 0, 0, 0, 0, "."), 1.5),
        List.of(pickle(0x88, "."), true),
        List.of(pickle("X", 2, 0, 0, 0, "ab", "."), "ab"),
        List.of(pickle(0x8c, 2, "ab", "."), "ab"),
        List.of(pickle("](K", 1, "K", 2, "e."), List.of(1L, 2L)),
        List.of(pickle("]K", 1, "a."), List.of(1L)),
        List.of(pickle("K", 1, "K", 2, 0x86, "."), List.of(1L, 2L)),
        List.of(pickle("(K", 1, "K", 2, "K", 3, "t."), List.of(1L, 2L, 3L)),
        List.of(pickle("}X", 1, 0, 0, 0, "a", "K", 1, "s."), Map.of("a", 1L)),
        List.of(pickle("}(K", 1, "K", 2, "K", 3, "K", 4, "u."), Map.of(1L, 2L, 3L, 4L)),
        List.of(pickle("](K", 9, "q", 0, "h", 0, "e."), List.of(9L, 9L)));
  }

  @ParameterizedTest
  @MethodSource("values")
  void shouldReadPlainData(List<Object> given) throws Exception {
    assertThat(read((byte[]) given.getFirst())).isEqualTo(given.getLast());
  }

  /** What names a class, calls it, or gives it a state. */
  @ParameterizedTest
  @ValueSource(ints = {'c', 'i', 'o', 'R', 'b', 'P', 'Q', 0x81, 0x82, 0x83, 0x84, 0x92, 0x93, 0x97})
  void shouldRefuseWhatIsNoData(int opcode) {
    assertThatThrownBy(() -> read(pickle("cos\nsystem\n(X", 2, 0, 0, 0, "id", "tR.")))
        .isInstanceOf(DumpException.class);
    assertThatThrownBy(() -> read(pickle("]]]", opcode, ".")))
        .isInstanceOf(DumpException.class)
        .hasMessageContaining("is not executed");
  }

  @Test
  void shouldNotFollowAListThatContainsItself() throws Exception {
    assertThat(read(pickle("]q", 0, "h", 0, "a."))).isInstanceOf(List.class);
    assertThatThrownBy(() -> read(pickle("}]q", 0, "h", 0, "aK", 1, "s.")))
        .isInstanceOf(DumpException.class)
        .hasMessageContaining("key");
  }

  @Test
  void shouldBoundWhatItMakes() {
    assertThatThrownBy(() -> read(pickle("Kr", 1, 0xff, 0xff, 0xff, 0x7f, ".")))
        .isInstanceOf(DumpException.class);
    assertThatThrownBy(() -> read(pickle("K", 1, "r", 0xff, 0xff, 0xff, 0x7f, ".")))
        .hasMessageContaining("memo");
    assertThatThrownBy(() -> read(pickle("X", 0xff, 0xff, 0xff, 0x7f, "a.")))
        .hasMessageContaining("cut off");
    var deep = new byte[5_000_000];
    Arrays.fill(deep, (byte) ']');
    deep[0] = (byte) 0x80;
    deep[1] = 2;
    assertThatThrownBy(() -> read(deep)).hasMessageContaining("objects");
    Arrays.fill(deep, 2, deep.length, (byte) '(');
    assertThatThrownBy(() -> read(deep)).hasMessageContaining("objects");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".",
        "a.",
        "s.",
        "u.",
        "e.",
        "t.",
        "0.",
        "K\001a.",
        "(.",
        "h\000.",
        "K\001u.",
        "]]](aae.",
        "NK\001a.",
        "NK\001K\001s."
      })
  void shouldRefuseWhatDoesNotFit(String opcodes) {
    assertThatThrownBy(() -> read(pickle(opcodes))).isInstanceOf(DumpException.class);
  }
}
