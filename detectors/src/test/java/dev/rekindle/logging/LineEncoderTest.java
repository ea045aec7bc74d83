package dev.rekindle.logging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.event.Level;

/** What a line holds, in both formats. */
class LineEncoderTest extends LineEncoderFixture {
  static List<Object[]> values() {
    return List.of(
        new Object[] {"n1", "detail=n1", "\"n1\""},
        new Object[] {"team/demo", "detail=team/demo", "\"team/demo\""},
        new Object[] {"", "detail=\"\"", "\"\""},
        new Object[] {"null", "detail=\"null\"", "\"null\""},
        new Object[] {"two words", "detail=\"two words\"", "\"two words\""},
        new Object[] {"a=b", "detail=\"a=b\"", "\"a=b\""},
        new Object[] {"say \"x\"", "detail=\"say \\\"x\\\"\"", "\"say \\\"x\\\"\""},
        new Object[] {"C:\\dir", "detail=\"C:\\\\dir\"", "\"C:\\\\dir\""},
        new Object[] {
          "a\nlevel=error msg=x\r\t",
          "detail=\"a\\nlevel=error msg=x\\r\\t\"",
          "\"a\\nlevel=error msg=x\\r\\t\""
        },
        new Object[] {
          "\u001b[31mred\u0000", "detail=\"\\u001b[31mred\\u0000\"", "\"\\u001b[31mred\\u0000\""
        },
        new Object[] {"\u202eturned", "detail=\"\\u202eturned\"", "\"\\u202eturned\""},
        new Object[] {"line\u2028end", "detail=\"line\\u2028end\"", "\"line\\u2028end\""},
        new Object[] {"\ud83d\ude00", "detail=\"\ud83d\ude00\"", "\"\ud83d\ude00\""},
        new Object[] {"half \ud83d", "detail=\"half \ufffd\"", "\"half \ufffd\""},
        new Object[] {"\udb40\udc01", "detail=\"\\udb40\\udc01\"", "\"\\udb40\\udc01\""},
        new Object[] {3, "detail=3", "3"},
        new Object[] {-5_000_000_000L, "detail=-5000000000", "-5000000000"},
        new Object[] {1.5, "detail=1.5", "1.5"},
        new Object[] {1e12, "detail=1.0E12", "1.0E12"},
        new Object[] {Double.NaN, "detail=NaN", "\"NaN\""},
        new Object[] {true, "detail=true", "true"},
        new Object[] {Duration.ofSeconds(90), "detail=1m30s", "\"1m30s\""},
        new Object[] {Duration.ofMillis(250), "detail=0.25s", "\"0.25s\""},
        new Object[] {List.of("a", "b"), "detail=\"[a, b]\"", "\"[a, b]\""},
        new Object[] {LineFormat.JSON, "detail=JSON", "\"JSON\""});
  }

  @ParameterizedTest
  @MethodSource("values")
  void shouldWriteAValueInBothFormats(Object value, String logfmt, String json) {
    assertThat(afterMessage(line(LineFormat.LOGFMT, LogKey.DETAIL, value))).isEqualTo(" " + logfmt);
    assertThat(afterMessage(line(LineFormat.JSON, LogKey.DETAIL, value)))
        .isEqualTo("\",\"detail\":" + json + "}");
  }

  @Test
  void shouldWriteNullWhereThereIsNoValue() {
    assertThat(afterMessage(line(LineFormat.LOGFMT, LogKey.ERROR, null))).isEqualTo(" error=null");
    assertThat(afterMessage(line(LineFormat.JSON, LogKey.ERROR, null)))
        .isEqualTo("\",\"error\":null}");
  }

  @ParameterizedTest
  @EnumSource(LineFormat.class)
  void shouldGiveBackAnyTextWhenALineIsParsed(LineFormat format) throws IOException {
    var random = new Random(7);
    for (int i = 0; i < 3_000; i++) {
      var text = text(random);
      var log = LogCapture.of(format);
      log.logger().atInfo().addKeyValue(LogKey.DETAIL.key(), text).log(text);

      // What a terminal or a collector of lines would act on is not in it as such.
      assertThat(log.text()).endsWith("\n");
      assertThat(log.text().strip())
          .matches(line -> line.codePoints().noneMatch(LineEncoderTest::isControl));
      var parsed = parse(format, log.lines().getFirst());
      // Half a pair is no text: an encoder of UTF-8 has nothing for it.
      var wanted = new String(text.getBytes(StandardCharsets.UTF_16), StandardCharsets.UTF_16);
      assertThat(parsed).containsEntry("detail", wanted).containsEntry("msg", wanted);
    }
  }

  private static boolean isControl(int point) {
    return Character.isISOControl(point)
        || Character.getType(point) == Character.FORMAT
        || point == 0x2028
        || point == 0x2029;
  }

  @Test
  void shouldWriteTheKeysInTheirOrder() throws JsonProcessingException {
    var orders =
        List.of(
            keys(LineFormat.LOGFMT),
            MAPPER.readTree(thrown(LineFormat.JSON)).properties().stream()
                .map(Map.Entry::getKey)
                .toList());

    assertThat(orders)
        .containsOnly(List.of("time", "level", "logger", "msg", "node", "job", "stack"));
  }

  private static List<String> keys(LineFormat format) {
    return List.copyOf(LogfmtParser.parse(thrown(format)).keySet());
  }

  @ParameterizedTest
  @CsvSource({"INFO, info", "ERROR, error", "WARN, warn"})
  void shouldNameTimeLevelAndClass(Level level, String word) {
    var log = LogCapture.of(LineFormat.LOGFMT);
    log.logger().atLevel(level).log("Watching");

    assertThat(log.lines().getFirst())
        .matches(
            "time=\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z level="
                + word
                + " logger=WorkQueue msg=Watching");
  }

  @Test
  void shouldKeepKeysOfALibraryApartFromOurs() throws JsonProcessingException {
    for (var format : LineFormat.values()) {
      var log = LogCapture.of(format);
      log.logger("io.fabric8.kubernetes.client.Any")
          .atWarn()
          .addKeyValue("msg", "1")
          .addKeyValue("a b=\"\n", "2")
          .addKeyValue("k".repeat(500), "3")
          .log("From {}", "outside");

      assertThat(parse(format, log.lines().getFirst()))
          .containsEntry("msg", "From outside")
          .containsEntry("other.msg", "1")
          .containsEntry("other.a_b___", "2")
          .containsEntry("other." + "k".repeat(64), "3");
    }
  }

  @Test
  void shouldNameKeysThatNeedNoQuotesAndNoneTwice() {
    var keys = new ArrayList<>(Arrays.stream(LogKey.values()).map(LogKey::key).toList());
    for (var key : LineKey.values()) {
      keys.add(key.key());
    }

    assertThat(keys).doesNotHaveDuplicates().allMatch(key -> key.matches("[a-z][a-zA-Z]*"));
  }
}
