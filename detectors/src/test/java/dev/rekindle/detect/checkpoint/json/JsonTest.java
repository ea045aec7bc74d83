package dev.rekindle.detect.checkpoint.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  private static @Nullable Object read(String text) throws JsonException {
    return Json.read(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 1_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\": [1, -2, 3.5, 1e3, 0, -0.25], \"b\": {\"c\": null}, \"\": true}",
        " [ ] ",
        "{}",
        "\"\\u00e9\\ud83d\\ude00\\n\\\\\\/ é\"",
        "9223372036854775807",
        "[[[[[[]]]]]]",
        "false",
      })
  void shouldReadWhatAnotherReaderReads(String text) throws Exception {
    var mapper = new ObjectMapper();
    assertThat(mapper.<com.fasterxml.jackson.databind.JsonNode>valueToTree(read(text)).toString())
        .isEqualTo(mapper.readTree(text).toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``|cut off",
        "{|cut off",
        "{\"a\"|cut off",
        "{\"a\":1|cut off",
        "\"\\u12|cut off",
        "{\"a\":1,}|no key where one is due",
        "[1,]|no value where one is due",
        "[1 2]|no ']' where one is due",
        "{\"a\":1,\"a\":2}|a key twice",
        "{} x|something follows the value",
        "01|no value where one is due",
        "1.|no value where one is due",
        "+1|no value where one is due",
        "1e99999|no value where one is due",
        "nul|no value where one is due",
        "\"\\x\"|an escape that is none",
      })
  void shouldRefuseWithAReasonWhatIsNotJson(String text, String reason) {
    assertThatThrownBy(() -> read(text)).isInstanceOf(JsonException.class).hasMessage(reason);
  }

  @Test
  void shouldReadTheNumbersThatPythonWrites() throws JsonException {
    assertThat(read("[NaN, Infinity, -Infinity]"))
        .isEqualTo(List.of(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY));
    assertThat(read("100000000000000000000")).isEqualTo(1e20);
  }

  @Test
  void shouldHoldItsBounds() {
    assertThatThrownBy(() -> read("[".repeat(100_000))).hasMessage("nested deeper than 64");
    assertThatThrownBy(() -> read("[" + "1,".repeat(2_000) + "1]"))
        .hasMessage("more than 1000 values");
    assertThatThrownBy(() -> read("9".repeat(70))).hasMessage("no value where one is due");
    assertThatThrownBy(() -> Json.read(ByteBuffer.wrap(new byte[] {'"', (byte) 0xff, '"'}), 10))
        .hasMessage("not UTF-8");
    assertThatThrownBy(() -> read("\"\u0001\"")).hasMessage("a control character in a text");
  }

  @Test
  void shouldGiveAnObjectOnlyWhereThereIsOne() throws JsonException {
    assertThat(Json.object(ByteBuffer.wrap(new byte[] {'{', '}'}), 10)).isEqualTo(Map.of());
    assertThatThrownBy(() -> Json.object(ByteBuffer.wrap(new byte[] {'[', ']'}), 10))
        .hasMessage("not a JSON object");
  }
}
