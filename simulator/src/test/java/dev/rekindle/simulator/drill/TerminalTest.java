package dev.rekindle.simulator.drill;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TerminalTest {
  @Test
  void shouldWantColoursOnlyOnATerminalThatShowsThem() {
    assertThat(Terminal.of(true, Map.of("TERM", "xterm")::get).colours()).isTrue();
    assertThat(Terminal.of(false, Map.of("TERM", "xterm")::get).colours()).isFalse();
    assertThat(Terminal.of(true, Map.of("TERM", "dumb")::get).colours()).isFalse();
    assertThat(Terminal.of(true, Map.<String, String>of()::get).colours()).isFalse();
  }

  @Test
  void shouldRespectThatItsUserWantsNoColour() {
    assertThat(Terminal.of(true, Map.of("TERM", "xterm", "NO_COLOR", "1")::get).colours())
        .isFalse();
    assertThat(Terminal.of(true, Map.of("TERM", "xterm", "NO_COLOR", "")::get).colours()).isTrue();
  }
}
