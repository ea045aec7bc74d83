package dev.rekindle.page;

import static dev.rekindle.page.PageRendererTest.hostile;
import static dev.rekindle.page.PageRendererTest.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.TimelineEntry;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a tenant wrote stays text. */
class HostilePageTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "</code></bdi></style><svg onload=alert(1)>",
        "<!-- ${x} @template.layout() -->",
        "javascript:alert(1)"
      })
  void shouldShowMarkupOfATenantAsText(String evidence) {
    String clean = page(hostile("x"));
    String html = page(hostile(evidence));
    assertThat(tags(html)).isEqualTo(tags(clean));
  }

  private static List<String> tags(String html) {
    return Pattern.compile("<[/!]?[a-zA-Z-]+").matcher(html).results().map(r -> r.group()).toList();
  }

  @Test
  void shouldShowCharactersThatTurnALineAroundAsTheirNumbers() {
    assertThat(page(hostile("safe\u202Eevil\u0007\u2066")))
        .contains("safe‹U+202E›evil‹U+0007›‹U+2066›")
        .doesNotContain("\u202E");
  }

  @Test
  void shouldStayBoundedOnTheLongestObject() {
    List<TimelineEntry> timeline =
        IntStream.range(0, 64)
            .mapToObj(i -> Samples.entry(RecoveryPhase.HELD, i, "<".repeat(5000)))
            .toList();
    Recovery longest = hostile("&".repeat(100_000));
    longest.setStatus(longest.getStatus().withTimeline(timeline));
    assertThat(page(longest).length()).isLessThan(700_000);
  }

  @Test
  void shouldPutNoNameIntoACommandThatIsNone() {
    Recovery odd = Samples.recovered();
    odd.getMetadata().setName("x'; rm -rf ~; '");
    assertThat(page(odd)).doesNotContain("describe recovery");
  }
}
