package dev.rekindle.logging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lines of what is long, thrown or cannot be written. */
class LineEncoderBoundsTest extends LineEncoderFixture {
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
}
