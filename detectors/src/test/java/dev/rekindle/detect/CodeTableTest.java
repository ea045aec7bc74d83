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
  void shouldReadQuotedFieldsWhenTheyHoldCommasQuotesAndLineBreaks() {
    assertThat(Csv.parse("# comment, \"with quote\n#two\na,\"b, \"\"c\"\"\nd\",,e\r\n\"\",f,\n"))
        .containsExactly(List.of("a", "b, \"c\"\nd", "", "e"), List.of("", "f", ""));
    assertThat(Csv.parse("a,b")).containsExactly(List.of("a", "b"));
    assertThat(Csv.parse("a,")).containsExactly(List.of("a", ""));
    assertThat(Csv.parse("")).isEmpty();
    assertThatThrownBy(() -> Csv.parse("a,\"open")).hasMessageContaining("never closed");
    assertThatThrownBy(() -> Csv.parse("\"a\"b,c")).hasMessageContaining("after the closing quote");
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
