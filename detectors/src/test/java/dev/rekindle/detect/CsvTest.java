package dev.rekindle.detect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsvTest {
  private static List<Csv.Row> rows(String text) {
    Csv csv = new Csv(text);
    List<Csv.Row> rows = new ArrayList<>();
    for (Optional<Csv.Row> row = csv.next(); row.isPresent(); row = csv.next()) {
      rows.add(row.get());
    }
    return rows;
  }

  private static String shown(String text) {
    StringBuilder shown = new StringBuilder();
    for (Csv.Row row : rows(text)) {
      shown.append(row.line()).append(':');
      shown.append(row.trouble().isEmpty() ? String.join("|", row.fields()) : "!" + row.trouble());
      shown.append(';');
    }
    return shown.toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      quoteCharacter = '`',
      value = {
        "a,b => 1:a|b;",
        "a,b\\nc,d\\n => 1:a|b;2:c|d;",
        "a,b\\r\\nc,d\\r\\n => 1:a|b;2:c|d;",
        "a\\rb => 1:a;2:b;",
        "\\n\\na => 3:a;",
        "a, => 1:a|;",
        ",\\n, => 1:|;2:|;",
        "\"a,b\",c => 1:a,b|c;",
        "\"say \"\"hi\"\"\" => 1:say \"hi\";",
        "\"two\\nlines\",x\\ny => 1:two_lines|x;3:y;",
        "\"\" => 1:;",
        "a\"b,c => 1:a\"b|c;",
        "\uFEFFnode,x => 1:node|x;",
        "\"open,x\\nb,c => 1:!a quote is never closed;2:b|c;",
        "\"a\"b,c\\nd => 1:!text after a closing quote;2:d;",
      })
  void shouldReadWhatRfc4180Writes(String text, String expected) {
    String unescaped = text.replace("\\n", "\n").replace("\\r", "\r");
    assertThat(shown(unescaped).replace('\n', '_')).isEqualTo(expected);
  }

  @Test
  void shouldPassOverCommentsWhereTheyAreExpected() {
    Csv csv = new Csv("# comment, \"with quote\n#two\na,b\n#c,d");
    csv.skipComments();

    assertThat(csv.next()).contains(new Csv.Row(3, List.of("a", "b"), ""));
    assertThat(csv.next()).contains(new Csv.Row(4, List.of("#c", "d"), ""));
  }

  @Test
  void shouldGiveUpOnlyTheLineOfAnOpenQuote() {
    String many = "\"open\n" + "good,row\n".repeat(1000);
    assertThat(rows(many)).hasSize(1001);
    assertThat(rows(many).getFirst().trouble()).contains("never closed");
    assertThat(rows(many).get(1)).isEqualTo(new Csv.Row(2, List.of("good", "row"), ""));
  }

  @Test
  void shouldRefuseFieldsAndRowsOfAnySize() {
    assertThat(rows("x".repeat(5000) + "\ny").getFirst().trouble()).contains("4096");
    assertThat(rows(",".repeat(100) + "\ny").getFirst().trouble()).contains("64 fields");
    assertThat(rows("x".repeat(5000) + "\ny").get(1).fields()).containsExactly("y");
  }

  @Test
  void shouldReadBackWhatItEscapes() {
    Random random = new Random(3);
    for (int i = 0; i < 2000; i++) {
      List<String> fields = new ArrayList<>();
      for (int f = 0; f <= random.nextInt(4); f++) {
        fields.add(text(random));
      }
      String line = String.join(",", fields.stream().map(Csv::escape).toList());
      boolean nothing = line.isEmpty();
      if (!nothing) {
        assertThat(rows(line)).as(line).extracting(Csv.Row::fields).containsExactly(fields);
      }
    }
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < random.nextInt(6); i++) {
      text.append("ab,\"\n x".charAt(random.nextInt(7)));
    }
    return text.toString();
  }

  @Test
  void shouldComeToAnEndOnWhateverItIsGiven() {
    Random random = new Random(11);
    for (int i = 0; i < 5000; i++) {
      StringBuilder text = new StringBuilder();
      for (int c = 0; c < random.nextInt(60); c++) {
        text.append("a,\"\n\r\u0000é".charAt(random.nextInt(7)));
      }
      List<Csv.Row> rows = rows(text.toString());
      assertThat(rows.size()).isLessThanOrEqualTo(text.length() + 1);
      int line = 0;
      for (Csv.Row row : rows) {
        assertThat(row.line()).as(text.toString()).isGreaterThan(line);
        line = row.line();
      }
    }
  }
}
