package dev.rekindle.controller.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.knowledge.Kind;
import dev.rekindle.detect.knowledge.Knowledge;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page of event reasons is written from the vocabulary, so that it cannot lag behind. */
class EventReferenceTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "events.md");
  private static final Knowledge KNOWLEDGE = Knowledge.shipped();

  @Test
  void shouldFindThePageAsTheVocabularySays() throws IOException {
    String wanted = page();
    String found = Files.exists(PAGE) ? Files.readString(PAGE) : "";
    if (!found.equals(wanted)) {
      Files.createDirectories(PAGE.getParent());
      Files.writeString(PAGE, wanted);
    }

    assertThat(found)
        .as("%s has been rewritten: review the difference, commit it, and run again", PAGE)
        .isEqualTo(wanted);
  }

  private static String page() {
    return """
    # Event reasons

    Events are `events.k8s.io/v1`, regarding the PyTorchJob or the Node, from the controller
    `rekindle.dev/controller`. They announce and expire; the record is the Recovery. Written by
    the build from `model/Reason.java` and `knowledge.yaml`; `rekindle explain REASON` has more of each.

    Each has its type and its action in brackets.

    """
        + Arrays.stream(Reason.values())
            .map(EventReferenceTest::item)
            .collect(Collectors.joining());
  }

  /** A list item in lines of at most 120 characters. */
  private static String item(Reason reason) {
    String text =
        "- `%s` (%s, %s): %s"
            .formatted(
                reason.word(),
                reason.warning() ? "Warning" : "Normal",
                reason.action(),
                KNOWLEDGE.find(Kind.EVENT, reason.word()).orElseThrow().meaning() + ".");
    return text.replaceAll("(.{1,117})(?: +|$)", "$1\n  ").stripTrailing() + "\n";
  }
}
