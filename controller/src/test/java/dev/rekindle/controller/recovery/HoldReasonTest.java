package dev.rekindle.controller.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HoldReasonTest {
  /** The page says of each hold what lifts it, under a heading that a link can name. */
  @ParameterizedTest
  @EnumSource(HoldReason.class)
  void shouldHaveASectionOfItsOwn(HoldReason reason) throws Exception {
    assertThat(Files.readAllLines(Path.of("..", "docs", "operations", "holds.md")))
        .contains("## " + reason.word());
  }
}
