package dev.rekindle.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodeTableTest {
  private static final String HEADER = "code,name,cordon\n";

  private static CodeTable<String> parse(String csv) {
    return CodeTable.parse(
        csv, List.of("code", "name", "cordon"), row -> row.text("name") + " " + row.fence());
  }

  @Test
  void shouldNameTheLineOfARowThatIsNoRow() {
    assertThatThrownBy(() -> parse("# a comment\n" + HEADER + "79,\"open"))
        .hasMessageContaining("line 3")
        .hasMessageContaining("never closed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1,a,perhaps|no known word",
        "1,a|has 2 fields",
        "x,a,no|For input string",
      })
  void shouldNameTheRowWhenATableIsWrong(String row, String reason) {
    assertThatThrownBy(() -> parse(HEADER + row)).hasMessageContaining(reason);
  }

  @Test
  void shouldRefuseWhenHeaderIsWrongOrCodeComesTwice() {
    var row = "1,a,no\n";
    assertThatThrownBy(() -> parse(row)).hasMessageContaining("first row");
    assertThatThrownBy(() -> parse(HEADER + row + row)).hasMessageContaining("twice");
    assertThat(parse(HEADER + row).lookup(1, code -> "?")).isEqualTo("a NEVER");
    assertThat(parse(HEADER + row).lookup(2, code -> "? " + code)).isEqualTo("? 2");
  }
}
