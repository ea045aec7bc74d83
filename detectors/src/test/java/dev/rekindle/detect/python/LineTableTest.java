package dev.rekindle.detect.python;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LineTableTest {
  /** One entry of each form; the format is that of Objects/locations.md of CPython. */
  @ParameterizedTest
  @CsvSource({
    // short form: same line, one byte of columns
    "800f, 10, 0, 10",
    // one line form, code 11: a line further, two bytes of columns
    "d80102, 10, 0, 11",
    // no columns, code 13: signed line delta -3
    "e807, 10, 0, 7",
    // long form, code 14: line +70 in two bytes, then three numbers
    "f04c02000101, 10, 0, 80",
    // none
    "f8, 10, 0, 0",
    // an entry of three code units, then one of the next line
    "820fd80102, 10, 4, 10",
    "820fd80102, 10, 6, 11",
    // behind the end, and cut off
    "820fd80102, 10, 8, 0",
    "'', 10, 0, 0"
  })
  void shouldFindTheLine(String table, int first, long offset, int line) {
    assertThat(LineTable.line(HexFormat.of().parseHex(table), first, offset)).isEqualTo(line);
  }

  @Test
  void shouldEndWithSomeLineWhateverTheTableHolds() {
    var random = new Random(311);
    for (int i = 0; i < 10_000; i++) {
      var table = new byte[random.nextInt(40)];
      random.nextBytes(table);
      assertThat(LineTable.line(table, random.nextInt(), random.nextLong(200)))
          .as(HexFormat.of().formatHex(table))
          .isNotNegative();
    }
  }

  @Test
  void shouldNotFindALineBeforeTheFirst() {
    assertThat(LineTable.line(HexFormat.of().parseHex("800f"), 10, Long.MIN_VALUE)).isEqualTo(10);
  }
}
