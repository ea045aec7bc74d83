package dev.rekindle.simulator.drill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.browser.Browser;
import dev.rekindle.browser.InBrowser;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.OutputType;

/**
 * The picture of the page in README.md. {@code mvn -o test -pl simulator -Dtest=ScreenshotTest
 * -Dscreenshot=write} takes it again; a build only takes one, since fonts differ between machines.
 */
@Timeout(120)
class ScreenshotTest {
  private static final Path PICTURE = Path.of("../docs/img/recovery.png");
  private static final int WIDTH = 1000;

  /** Pages of repositories load it each time. */
  private static final int MOST_BYTES = 150_000;

  private static void shouldBeAPictureOfThePage(byte[] png) throws IOException {
    assertThat(png).hasSizeLessThan(MOST_BYTES);
    var picture = ImageIO.read(new ByteArrayInputStream(png));
    assertThat(picture).as("a picture that can be read").isNotNull();
    assertThat(picture.getWidth()).isEqualTo(WIDTH);
  }

  @Test
  void shouldBeInTheReadme() throws IOException {
    shouldBeAPictureOfThePage(Files.readAllBytes(PICTURE));
    assertThat(Files.readString(Path.of("../README.md")))
        .containsPattern("!\\[[^\\]]{20,}\\]\\(docs/img/recovery\\.png\\)");
  }

  @Test
  @InBrowser
  void shouldBeTakenOfAPageWithTheWholeRecovery(Browser browser, @TempDir Path folder)
      throws IOException {
    Path page = folder.resolve("recovery.html");
    assertThat(DrillRun.of("--json", "--page", page.toString()).code()).isZero();
    browser.open(page.toUri().toString());
    browser.width(WIDTH);
    byte[] png = browser.driver().getScreenshotAs(OutputType.BYTES);

    assertThat(browser.text()).contains("Recovered", "Detected", "Draining", "Verifying");
    shouldBeAPictureOfThePage(png);
    if ("write".equals(System.getProperty("screenshot"))) {
      Files.write(PICTURE, png);
    }
  }
}
