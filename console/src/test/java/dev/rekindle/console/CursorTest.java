package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cursor is untrusted: it is parsed, or refused as invalid. */
class CursorTest {
  private static final Instant BEGAN = Instant.parse("2026-01-01T00:00:00.123456789Z");

  /** What decoders and readers of times have stumbled over. */
  private static final List<String> PIECES =
      List.of(
          "true",
          "false",
          "\n",
          "\n\n",
          "team",
          "demo-r1",
          "2026-01-01T00:00:00Z",
          "+1000000000-12-31T23:59:59.999999999Z",
          "-1000000001-01-01T00:00:00Z",
          "2026-13-45T99:99:99Z",
          "\0",
          "é",
          "\uD800",
          "",
          "x".repeat(500));

  @Test
  void shouldReadWhatItHasWritten() {
    for (String name : PIECES) {
      if (!name.contains("\n") && !name.contains("\uD800")) {
        Cursor cursor = new Cursor(true, false, BEGAN, "team", name);
        assertThat(Cursor.parse(cursor.text())).isEqualTo(cursor);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nonsense", "====", "dHJ1ZQ", "%", "é"})
  void shouldRefuseWhatIsNone(String text) {
    assertThatThrownBy(() -> Cursor.parse(text))
        .isInstanceOfSatisfying(
            Refused.class, r -> assertThat(r.why()).isEqualTo(Refused.Why.BAD_CURSOR));
  }

  @Test
  void shouldRefuseALongOneUnread() {
    String text = "A".repeat(1025);
    assertThatThrownBy(() -> Cursor.parse(text)).isInstanceOf(Refused.class).hasNoCause();
  }

  @Test
  void shouldReadOrRefuseWhateverItIsGiven() {
    Random random = new Random(7);
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      try {
        Cursor cursor = Cursor.parse(made(random));
        assertThat(Cursor.parse(cursor.text())).isEqualTo(cursor);
        read++;
      } catch (Refused refused) {
        assertThat(refused.why()).isEqualTo(Refused.Why.BAD_CURSOR);
      }
    }
    assertThat(read).as("made of good ones").isPositive();
  }

  /** A good cursor with some of it replaced, before or after it is encoded. */
  private static String made(Random random) {
    StringBuilder words = new StringBuilder("true\nfalse\n" + BEGAN + "\nteam\ndemo-r1");
    for (int edits = random.nextInt(4); edits > 0; edits--) {
      int from = random.nextInt(words.length() + 1);
      int to = Math.min(words.length(), from + random.nextInt(6));
      words.replace(from, to, PIECES.get(random.nextInt(PIECES.size())));
    }
    String text =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(words.toString().getBytes(StandardCharsets.UTF_8));
    if (random.nextInt(3) > 0) {
      return text;
    }
    int at = random.nextInt(text.length());
    return text.substring(0, at) + (char) random.nextInt(0x300) + text.substring(at);
  }
}
