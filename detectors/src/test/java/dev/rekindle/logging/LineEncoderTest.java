package dev.rekindle.logging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.event.Level;

class LineEncoderTest {
  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

  /** From every corner of Unicode, the ends of lines and halves of pairs among them. */
  private static final String ALPHABET =
      "aZ09 =\"\\/'{}[],:\n\r\t\b\f\u0000\u001b\u007f\u0085\u00e9\u200b\u2028\u2029\u202e\ufeff"
          + "\ud83d\ude00\ud800\udc00\ufffd\u4e2d\udb40\udc01";

  private static String line(LineFormat format, LogKey key, @Nullable Object value) {
    var log = LogCapture.of(format);
    log.logger().atInfo().addKeyValue(key.key(), value).log("Message");
    assertThat(log.lines()).hasSize(1);
    return log.lines().getFirst();
  }

  private static String afterMessage(String line) {
    return line.substring(line.indexOf("Message") + "Message".length());
  }

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

  private static String text(Random random) {
    var text = new StringBuilder();
    for (int left = random.nextInt(40); left > 0; left--) {
      text.append(
          random.nextInt(8) == 0
              ? (char) random.nextInt(Character.MAX_VALUE + 1)
              : ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return text.toString();
  }

  private static Map<String, String> parse(LineFormat format, String line)
      throws JsonProcessingException {
    if (format == LineFormat.LOGFMT) {
      return LogfmtParser.parse(line);
    }
    JsonNode json = MAPPER.readTree(line);
    return json.properties().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, pair -> pair.getValue().asText()));
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

  private static String thrown(LineFormat format) {
    var log = LogCapture.of(format);
    log.logger()
        .atError()
        .addKeyValue(LogKey.NODE.key(), "n1")
        .addKeyValue(LogKey.JOB.key(), "team/demo")
        .setCause(new IllegalStateException("one\ntwo", new IOException("disk")))
        .log("Reconcile failed; retrying");
    return log.lines().getFirst();
  }

  @ParameterizedTest
  @EnumSource(LineFormat.class)
  void shouldKeepTheStackTraceInOneLine(LineFormat format) throws JsonProcessingException {
    var stack = parse(format, thrown(format)).get("stack");

    assertThat(stack)
        .startsWith("java.lang.IllegalStateException: one\ntwo\n\tat dev.rekindle.logging.")
        .contains("\nCaused by: java.io.IOException: disk\n");
  }

  @Test
  void shouldKeepTheCauseWhenAStackTraceIsTooLong() {
    var log = LogCapture.of(LineFormat.LOGFMT);
    var cause = new IOException("disk");
    cause.setStackTrace(
        new StackTraceElement[] {
          new StackTraceElement("dev.rekindle.Disk", "read", "Disk.java", 9)
        });
    var deep = new IllegalStateException("outer", cause);
    deep.setStackTrace(
        Stream.generate(() -> new StackTraceElement("dev.rekindle.Any", "call", "Any.java", 7))
            .limit(1_000)
            .toArray(StackTraceElement[]::new));
    log.logger().atError().setCause(deep).log("Reconcile failed; retrying");

    assertThat(LogfmtParser.parse(log.lines().getFirst()).get("stack"))
        .startsWith(
            "java.lang.IllegalStateException: outer\n\tat dev.rekindle.Any.call(Any.java:7)")
        .containsPattern("\\.\\.\\.\\[\\d+ more characters]\\.\\.\\.")
        .endsWith(
            "\nCaused by: java.io.IOException: disk\n\tat dev.rekindle.Disk.read(Disk.java:9)")
        .hasSizeLessThan(8_100);
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

  @ParameterizedTest
  @EnumSource(LineFormat.class)
  void shouldBoundWhatItWrites(LineFormat format) throws JsonProcessingException {
    var log = LogCapture.of(format);
    var huge = "\ud83d\ude00".repeat(100_000);
    log.logger()
        .atError()
        .addKeyValue(LogKey.DETAIL.key(), "x" + huge)
        .setCause(new IllegalStateException(huge))
        .log(huge);
    var parsed = parse(format, log.lines().getFirst());

    assertThat(parsed.get("msg"))
        .isEqualTo("\ud83d\ude00".repeat(1_000) + "...[198000 more characters]");
    // A pair is not torn apart.
    assertThat(parsed.get("detail"))
        .isEqualTo("x" + "\ud83d\ude00".repeat(999) + "...[198002 more characters]");
    assertThat(parsed.get("stack"))
        .hasSizeBetween(8_000, 8_100)
        .startsWith("java.lang.IllegalStateException: \ud83d\ude00")
        .contains(" more characters]...")
        .doesNotContain("\ufffd");
    assertThat(log.text().length()).isLessThan(13_000);
  }

  @Test
  void shouldWriteTheLineWhenAValueCannotBeWritten() {
    Object broken =
        new Object() {
          @Override
          public String toString() {
            throw new IllegalStateException("no");
          }
        };

    assertThat(afterMessage(line(LineFormat.LOGFMT, LogKey.OBJECT, broken)))
        .isEqualTo(" object=\"[java.lang.IllegalStateException in toString]\"");
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
