package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rekindle.api.RecoveryPhase;
import io.micronaut.context.annotation.Property;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.test.extensions.junit5.annotation.MicronautTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** The pages in a browser, as people meet them. */
@MicronautTest
@Property(name = "micronaut.server.port", value = "-1")
@Property(name = "micronaut.server.host", value = "localhost")
@Timeout(120)
class BrowserTest {
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final Path BROWSER = Path.of("/usr/bin/chromium");
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final List<String> PAGES =
      List.of("/recoveries", "/recoveries/ml/shown-r1", "/nodes/node-06", "/fleet", "/login");

  static {
    var client = StubClients.CLUSTER.client();
    client.resource(Given.recovery("ml", "shown-r1", RecoveryPhase.RECOVERED, Given.T0)).create();
  }

  @Inject private EmbeddedServer server;

  private ChromeDriver browser = closed();

  /** Until one is started there is none. */
  @SuppressWarnings("NullAway")
  private static ChromeDriver closed() {
    return null;
  }

  @BeforeEach
  void open() {
    assumeTrue(
        Files.isExecutable(DRIVER) && Files.isExecutable(BROWSER),
        "no browser: apt-get install chromium chromium-driver");
    browser =
        new ChromeDriver(
            new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile()).build(),
            new ChromeOptions()
                .setBinary(BROWSER.toFile())
                .addArguments("--headless=new", "--no-sandbox", "--disable-gpu"));
    go("/login");
    // By the keyboard alone: the token, and Enter.
    WebElement token = browser.findElement(By.name("token"));
    token.sendKeys("alice", Keys.ENTER);
    until(() -> Objects.requireNonNull(browser.getCurrentUrl()).endsWith("/recoveries"));
    until(() -> text().contains("shown-r1") || refreshed());
  }

  private boolean refreshed() {
    browser.navigate().refresh();
    return false;
  }

  @AfterEach
  void close() {
    if (browser != null) {
      browser.quit();
    }
  }

  private void go(String path) {
    browser.get(server.getURI() + path);
  }

  private String text() {
    return browser.findElement(By.tagName("body")).getText();
  }

  private static void until(BooleanSupplier so) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!so.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited for too long").isLessThan(end);
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private void media(String scheme) {
    browser.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  private void width(int pixels) {
    browser.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", pixels, "height", 640, "deviceScaleFactor", 1, "mobile", true));
  }

  @ParameterizedTest
  @ValueSource(strings = {"light", "dark"})
  void shouldHaveNothingThatAxeObjectsTo(String scheme) throws IOException {
    media(scheme);
    for (String page : PAGES) {
      go(page);
      assertThat(violations()).as(page + " in " + scheme).isEmpty();
    }
  }

  private List<?> violations() throws IOException {
    try (InputStream in = BrowserTest.class.getResourceAsStream("/axe.min.js")) {
      browser.executeScript(
          new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8));
    }
    return (List<?>)
        Objects.requireNonNull(
            browser.executeAsyncScript(
                "const done = arguments[arguments.length - 1];"
                    + "axe.run().then(r => done(r.violations.map("
                    + "v => v.id + ': ' + v.nodes.map(n => n.html).join(' | '))))"));
  }

  @Test
  void shouldFitAPhone() {
    width(320);
    for (String page : PAGES) {
      go(page);
      assertThat((Long) browser.executeScript("return document.documentElement.scrollWidth"))
          .as(page)
          .isLessThanOrEqualTo(320);
    }
  }

  @Test
  void shouldShowARecoveryByRoleAndText() {
    go("/recoveries/ml/shown-r1");
    assertThat(browser.getTitle()).isEqualTo("Recovery shown-r1");
    assertThat(text())
        .contains("Recovered shown-r1", "<script>document.title='owned'</script>")
        .containsSubsequence("Detected", "Resuming", "Recovered");
    assertThat(browser.findElements(By.tagName("main"))).hasSize(1);
    assertThat(browser.findElements(By.cssSelector("main article section[aria-labelledby]")))
        .allSatisfy(
            section ->
                assertThat(
                        browser.findElement(
                            By.id(Objects.requireNonNull(section.getAttribute("aria-labelledby")))))
                    .isNotNull());
  }

  @Test
  void shouldBeUsedByTheKeyboardAlone() {
    go("/recoveries/ml/shown-r1");
    browser.switchTo().activeElement().sendKeys(Keys.TAB);
    assertThat(browser.switchTo().activeElement().getText()).isEqualTo("Skip to the content");
    for (int i = 0; i < 40; i++) {
      WebElement at = browser.switchTo().activeElement();
      if (at.getTagName().equals("summary")) {
        at.sendKeys(Keys.ENTER);
        break;
      }
      at.sendKeys(Keys.TAB);
    }
    assertThat(text()).contains("GPU fell off the PCIe bus");
  }

  @Test
  void shouldBringTheListUpToDateWithoutLoadingItAgain() {
    go("/recoveries?namespace=fresh");
    browser.executeScript("window.same = true");
    StubClients.CLUSTER
        .client()
        .resource(Given.recovery("fresh", "new-r1", RecoveryPhase.VERIFYING, Given.T0))
        .create();
    until(() -> text().contains("new-r1"));
    assertThat(browser.executeScript("return window.same")).isEqualTo(true);
  }
}
