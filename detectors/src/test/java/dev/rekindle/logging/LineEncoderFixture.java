package dev.rekindle.logging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lines as the encoder writes them. */
abstract class LineEncoderFixture {
  static final ObjectMapper MAPPER =
      new ObjectMapper().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

  /** From every corner of Unicode, the ends of lines and halves of pairs among them. */
  static final String ALPHABET =
      "aZ09 =\"\\/'{}[],:\n\r\t\b\f\u0000\u001b\u007f\u0085\u00e9\u200b\u2028\u2029\u202e\ufeff"
          + "\ud83d\ude00\ud800\udc00\ufffd\u4e2d\udb40\udc01";

  static String line(LineFormat format, LogKey key, @Nullable Object value) {
    var log = LogCapture.of(format);
    log.logger().atInfo().addKeyValue(key.key(), value).log("Message");
    assertThat(log.lines()).hasSize(1);
    return log.lines().getFirst();
  }

  static String afterMessage(String line) {
    return line.substring(line.indexOf("Message") + "Message".length());
  }

  static String text(Random random) {
    var text = new StringBuilder();
    for (int left = random.nextInt(40); left > 0; left--) {
      text.append(
          random.nextInt(8) == 0
              ? (char) random.nextInt(Character.MAX_VALUE + 1)
              : ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return text.toString();
  }

  static Map<String, String> parse(LineFormat format, String line) throws JsonProcessingException {
    if (format == LineFormat.LOGFMT) {
      return LogfmtParser.parse(line);
    }
    JsonNode json = MAPPER.readTree(line);
    return json.properties().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, pair -> pair.getValue().asText()));
  }

  static String thrown(LineFormat format) {
    var log = LogCapture.of(format);
    log.logger()
        .atError()
        .addKeyValue(LogKey.NODE.key(), "n1")
        .addKeyValue(LogKey.JOB.key(), "team/demo")
        .setCause(new IllegalStateException("one\ntwo", new IOException("disk")))
        .log("Reconcile failed; retrying");
    return log.lines().getFirst();
  }
}
