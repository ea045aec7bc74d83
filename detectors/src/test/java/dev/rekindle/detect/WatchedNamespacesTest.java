package dev.rekindle.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchedNamespacesTest {
  @ParameterizedTest
  @ValueSource(strings = {"", " "})
  void shouldMeanAllNamespacesWhereNoneIsNamed(String text) {
    var all = WatchedNamespaces.of(Map.of(WatchedNamespaces.VARIABLE, text));

    assertThat(all).isEqualTo(WatchedNamespaces.ALL).isEqualTo(WatchedNamespaces.of(Map.of()));
    assertThat(all.include("anywhere")).isTrue();
    assertThat(all.places()).containsExactly("");
  }

  @Test
  void shouldIncludeTheNamedOnesAlone() {
    var two = WatchedNamespaces.parse("team-b, team-a,team-b");

    assertThat(two.places()).isEqualTo(two.names()).isEqualTo(List.of("team-a", "team-b"));
    assertThat(two.include("team-a")).isTrue();
    assertThat(two.include("team")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a,,b", "A", "*", "a/b", "a,", "-a", "a..b"})
  void shouldRefuseWhatIsNoName(String text) {
    assertThatThrownBy(() -> WatchedNamespaces.of(Map.of(WatchedNamespaces.VARIABLE, text)))
        .hasMessageContaining("REKINDLE_WATCH_NAMESPACES")
        .hasMessageContaining("is no name of a namespace");
  }

  @Test
  void shouldRefuseMoreThanTwenty() {
    var twenty = IntStream.range(0, 20).mapToObj(i -> "n" + i).collect(Collectors.joining(","));

    assertThat(WatchedNamespaces.parse(twenty).names()).hasSize(20);
    assertThatThrownBy(() -> WatchedNamespaces.parse(twenty + ",m"))
        .hasMessageContaining("more than 20");
  }
}
