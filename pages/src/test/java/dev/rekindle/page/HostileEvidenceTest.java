package dev.rekindle.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.browser.Browser;
import dev.rekindle.browser.InBrowser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openqa.selenium.By;

/** What a tenant or a device wrote is text in a browser, whatever it says. */
@InBrowser
@Timeout(120)
class HostileEvidenceTest {
  @TempDir private Path folder;

  static List<String> lines() {
    return List.of(
        "<script>document.title = 'owned'</script>",
        "</code></li></ul><img src=x onerror=\"document.title='owned'\"><h1>owned</h1>",
        "<a href=\"javascript:document.title='owned'\">owned</a>",
        "</title></style><iframe srcdoc=\"<b>owned</b>\"></iframe>",
        "&lt;b&gt; &amp;amp; ${title} $unsafe{title}",
        "x".repeat(100_000));
  }

  private String url(String line) throws IOException {
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.FAILED,
            Samples.at(1),
            0,
            null,
            Samples.cause(line),
            null,
            null,
            List.of(
                Samples.entry(RecoveryPhase.DETECTED, 0, line),
                Samples.entry(RecoveryPhase.FAILED, 1, line)),
            List.of(Samples.condition("Failed", line)));
    Incident incident =
        new Incident(
            Samples.recovery("llm-r1", status),
            List.of(Samples.fault("node-06", "XID-79", -1, State.ACTIVE)),
            Samples.at(60));
    Path file = folder.resolve("page.html");
    Files.writeString(
        file, new PageRenderer(Links.NONE).recoveries("as it was", List.of(incident)));
    return file.toUri().toString();
  }

  @ParameterizedTest
  @MethodSource("lines")
  void shouldBeText(String line, Browser browser) throws IOException {
    browser.open(url(line));

    String seen = browser.driver().findElement(By.cssSelector(".evidence code")).getText();
    // A record keeps the begin of a line that is too long for one.
    assertThat(line).startsWith(seen.replaceFirst("…$", ""));
    assertThat(seen).hasSizeGreaterThan(Math.min(line.length(), 200) - 1);
    assertThat(browser.driver().getTitle()).isEqualTo("as it was");
    assertThat(browser.driver().findElements(By.cssSelector("main script,img,iframe,main a")))
        .isEmpty();
    assertThat(browser.driver().findElements(By.tagName("h1"))).hasSize(1);
    assertThat(browser.violations()).isEmpty();
    browser.width(Browser.PHONE);
    assertThat(browser.standsOut()).isEmpty();
    assertThat(browser.problems()).isEmpty();
  }

  @Test
  void shouldNotTurnALineAround(Browser browser) throws IOException {
    browser.open(url("node-06 \u202e60-edon is well \u05d0\u05d1\u05d2"));

    // A reader meets the words in the order in which they were written.
    assertThat(
            browser.evaluate(
                """
                const text = document.querySelector('.evidence bdi').firstChild;
                const left = word => {
                  const range = document.createRange();
                  range.setStart(text, text.data.indexOf(word));
                  range.setEnd(text, text.data.indexOf(word) + 1);
                  return range.getBoundingClientRect().left;
                };
                return left('node') < left('60-edon') && left('60-edon') < left('well');
                """))
        .isEqualTo(true);
    assertThat(browser.text()).contains("node-06 ‹U+202E›60-edon");
    assertThat(browser.problems()).isEmpty();
  }
}
