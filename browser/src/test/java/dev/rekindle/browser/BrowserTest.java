package dev.rekindle.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The checks of a page find what is wrong with one. */
@InBrowser
@Timeout(120)
class BrowserTest {
  @Test
  void shouldSeeWhatIsWrong(Browser browser, @TempDir Path folder) throws IOException {
    Path file = folder.resolve("bad.html");
    Files.writeString(
        file,
        """
        <!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy"
          content="script-src 'nonce-a'"><style>.bare:focus { outline: none }</style></head>
        <body><a href="#a">First</a> <a href="#b" class="bare">Second</a>
        <a href="#c" tabindex="-1">Third</a>
        <p style="width: 900px">wide</p><img src="data:,"><script>alert(1)</script></body></html>
        """);
    browser.open(file.toUri().toString());

    assertThat(browser.problems()).anyMatch(line -> line.contains("Content Security Policy"));
    assertThat(browser.violations())
        .anyMatch(line -> ((String) line).startsWith("image-alt: "))
        .anyMatch(line -> ((String) line).startsWith("html-has-lang: "));
    assertThat(browser.tabs()).containsExactly("A First", "A Second (not visible)");
    assertThat(browser.reachable()).hasSize(3);
    assertThat(browser.standsOut()).isEmpty();
    browser.width(Browser.PHONE);
    assertThat(browser.standsOut()).hasSize(1);
  }
}
