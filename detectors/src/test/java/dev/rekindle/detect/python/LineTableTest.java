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

  /** Pairs of 3.10; the format is that of Objects/lnotab_notes.txt. */
  @ParameterizedTest
  @CsvSource({
    // four bytes of the first line, then six two lines further
    "04000602, 10, 0, 10",
    "04000602, 10, 3, 10",
    "04000602, 10, 4, 12",
    "04000602, 10, 9, 12",
    // back by one
    "0400040204ff, 10, 8, 11",
    // a range without a line, which moves none
    "040004800401, 10, 4, 0",
    "040004800401, 10, 8, 11",
    // further than a pair reaches: an empty range in between
    "0400007f0403, 10, 4, 140",
    // before the first instruction, behind the end, and cut off
    "04000602, 10, -2, 10",
    "04000602, 10, 10, 0",
    "040006, 10, 4, 0",
    "'', 10, 0, 0"
  })
  void shouldFindTheLineOfPairs(String table, int first, long offset, int line) {
    assertThat(LineTable.lineOfPairs(HexFormat.of().parseHex(table), first, offset))
        .isEqualTo(line);
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
      assertThat(LineTable.lineOfPairs(table, random.nextInt(), random.nextLong(200)))
          .as(HexFormat.of().formatHex(table))
          .isNotNegative();
    }
  }

  @Test
  void shouldNotFindALineBeforeTheFirst() {
    assertThat(LineTable.line(HexFormat.of().parseHex("800f"), 10, Long.MIN_VALUE)).isEqualTo(10);
  }
}
