package dev.rekindle.detect.checkpoint.orbax;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.detect.checkpoint.files.LimitException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** Indexes that a tenant has written to cost as much as they can. */
class OcdbtLimitsTest {
  /** Numbers of seven bits a byte. */
  private static byte[] numbers(int count, IntUnaryOperator number) {
    var out = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      int left = number.applyAsInt(i);
      for (; left > 127; left >>>= 7) {
        out.write((left & 127) | 128);
      }
      out.write(left);
    }
    return out.toByteArray();
  }

  private static byte[] number(int number) {
    return numbers(1, _ -> number);
  }

  /**
   * A table of paths of that length, each of which differs from the one before in its last byte.
   */
  private static byte[] table(int count, int length) {
    return OcdbtFuzz.concat(
        number(count),
        numbers(count - 1, _ -> length - 1),
        numbers(count, i -> i == 0 ? length : 1),
        numbers(count, _ -> 0),
        new byte[length + count - 1]);
  }

  private static void check(byte[]... node) throws Exception {
    Database.check(OcdbtFuzz.folder(OcdbtFuzz.concat(node)));
  }

  @Test
  void shouldRefusePathsThatAreLongOrManyOrBoth() {
    assertThatThrownBy(() -> check(number(0), table(1, 1_025)))
        .isInstanceOf(LimitException.class)
        .hasMessage("the index in a has 1025 bytes of a path, more than 1024");
    assertThatThrownBy(() -> check(number(0), table(20_000, 1_000)))
        .isInstanceOf(LimitException.class)
        .hasMessage("the index in a has paths of more than 12582912 bytes");
    assertThatThrownBy(() -> check(number(0), number(200_001)))
        .isInstanceOf(LimitException.class)
        .hasMessage("the index in a has 200001 files, more than 200000");
  }

  @Test
  void shouldRefuseMoreEntriesThanANodeMayHave() {
    assertThatThrownBy(() -> check(number(0), table(1, 1), number(2_000_001)))
        .isInstanceOf(LimitException.class)
        .hasMessage("the index in a has 2000001 entries, more than 2000000");
  }

  @Test
  void shouldRefuseATreeOfTooManyNodes() {
    int count = 100_001;
    assertThatThrownBy(
            () ->
                check(
                    number(9),
                    table(1, 1),
                    number(count),
                    numbers(count - 1, _ -> 0),
                    numbers(count, _ -> 0),
                    numbers(count, _ -> 0),
                    numbers(count, _ -> 0),
                    numbers(count, i -> i),
                    numbers(count, _ -> 30)))
        .isInstanceOf(LimitException.class)
        .hasMessageStartingWith("a tree of more than 100000 nodes");
  }

  @Test
  void shouldNotLeaveTheFolder() {
    for (var path : new String[] {"../x", "/etc/x", "b/../../x", "."}) {
      var bytes = path.getBytes(StandardCharsets.US_ASCII);
      assertThatThrownBy(
              () ->
                  check(
                      new byte[] {0, 1, (byte) bytes.length, 0},
                      bytes,
                      new byte[] {1, 1, 'k', 20, 1, 0, 0}))
          .isInstanceOf(OcdbtException.class)
          .hasMessage("the index names " + path);
    }
  }

  @Test
  void shouldRefuseANodeThatIsBelowItself() {
    int length = Framed.SHORTEST + 16;
    assertThatThrownBy(
            () ->
                check(new byte[] {1, 1, 1, 0, 'a', 1, 1, 0, 'k', 0, 0, (byte) length, 0, 0, 0, 0}))
        .isInstanceOf(OcdbtException.class)
        .hasMessageContaining("of another height");
  }
}
