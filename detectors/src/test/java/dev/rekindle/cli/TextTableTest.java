package dev.rekindle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {
  private static final List<List<String>> ROWS =
      List.of(
          List.of("fault", "hits", "until", "meaning"),
          List.of("gpu-lost", "12", "5.2 min", "a GPU"),
          List.of("ecc", "3", "-", ""));

  @Test
  void shouldPutWordsLeftAndFiguresRight() {
    assertThat(TextTable.aligned(ROWS))
        .isEqualTo(
            """
            fault     hits    until  meaning
            gpu-lost    12  5.2 min  a GPU
            ecc          3        -
            """);
  }

  @Test
  void shouldPutAllColumnsLeftWhereNoneIsOfFigures() {
    assertThat(TextTable.left(ROWS))
        .isEqualTo(
            """
            fault     hits  until    meaning
            gpu-lost  12    5.2 min  a GPU
            ecc       3     -
            """);
  }

  @Test
  void shouldPutTheFirstColumnLeftThoughItIsOfFigures() {
    assertThat(TextTable.aligned(List.of(List.of("step", "ms"), List.of("30", "5"))))
        .isEqualTo("step  ms\n30     5\n");
  }

  @Test
  void shouldTakeAColumnThatIsEmptyAndAPercentSign() {
    assertThat(TextTable.left(List.of(List.of("", "50 %", "%s"), List.of("", "1", "x"))))
        .isEqualTo("  50 %  %s\n  1     x\n");
  }

  /** A terminal takes U+009B for the begin of a command, as it does ESC and a bracket. */
  @Test
  void shouldPrintNoControlCharacter() {
    for (int c = 0; c <= 0x9f; c++) {
      if (Character.isISOControl(c)) {
        assertThat(TextTable.printable("a" + (char) c + "b")).as("U+%04X", c).isEqualTo("a?b");
      }
    }
    assertThat(TextTable.printable("caf\u00e9 \u202eb\u2028")).isEqualTo("caf\u00e9 ?b?");
  }
}
