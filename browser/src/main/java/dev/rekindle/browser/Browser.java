package dev.rekindle.browser;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium with one page open. */
public final class Browser implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(50);

  /** More stops of the Tab key than any page has. */
  private static final int STOPS = 300;

  /** The width of a small phone, in CSS pixels. */
  public static final int PHONE = 320;

  /** Colour schemes that a person may prefer. */
  public static final List<String> SCHEMES = List.of("light", "dark");

  private final ChromeDriver driver;
  private final String axe;

  private Browser(ChromeDriver driver, String axe) {
    this.driver = driver;
    this.axe = axe;
  }

  static Browser start(Path driver, Path chromium) {
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    ChromeOptions options =
        new ChromeOptions()
            .setBinary(chromium.toFile())
            // Without a sandbox of its own: builds run as root and in containers.
            .addArguments(
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder().usingDriverExecutable(driver.toFile()).build();
    return new Browser(new ChromeDriver(service, options), script());
  }

  private static String script() {
    try (InputStream in = Browser.class.getResourceAsStream("/axe.min.js")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Logs out, and gives the window its first size again. */
  void forget() {
    driver.executeCdpCommand("Network.clearBrowserCookies", Map.of());
    driver.get("about:blank");
    width(1280);
    prefer("light");
    problems();
  }

  /** Selenium's own, for what is not here. */
  public ChromeDriver driver() {
    return driver;
  }

  /** Opens a page. */
  public void open(String url) {
    driver.get(url);
  }

  /** What a person reads on the page. */
  public String text() {
    return driver.findElement(By.tagName("body")).getText();
  }

  /** What a script in the page comes to. */
  public @Nullable Object evaluate(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  /** A width of the window in CSS pixels. */
  public void width(int pixels) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", pixels, "height", 800, "deviceScaleFactor", 1, "mobile", false));
  }

  /** One of {@link #SCHEMES}. */
  public void prefer(String scheme) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  /** Waits until it is so, or fails after a minute. */
  public void until(String what, BooleanSupplier so) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!so.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not so in %s: %s\n%s".formatted(PATIENCE, what, text()));
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  /** What the browser has complained of since it was last asked: scripts, the policy, files. */
  public List<String> problems() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(entry -> entry.getMessage())
        .toList();
  }

  /** What axe objects to on the page, with the elements. */
  public List<?> violations() {
    driver.executeScript(axe);
    return (List<?>)
        Objects.requireNonNull(
            driver.executeAsyncScript(
                """
                const done = arguments[arguments.length - 1];
                axe.run().then(
                  r => done(r.violations.map(
                    v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 300)).join(' | '))),
                  e => done([String(e)]));
                """));
  }

  /** By how many CSS pixels the page is wider than the window, and what stands out. */
  public List<?> standsOut() {
    return (List<?>)
        Objects.requireNonNull(
            driver.executeScript(
                """
                const wide = document.documentElement.clientWidth;
                if (document.documentElement.scrollWidth <= wide) { return []; }
                return [...document.querySelectorAll('body *')]
                  .filter(e => e.getBoundingClientRect().right > wide + 1)
                  .map(e => e.outerHTML.slice(0, 200));
                """));
  }

  /**
   * Goes through the page by the Tab key, from its begin to its end.
   *
   * @return each element that had the focus, as {@code TAG TEXT}; one whose focus does not show has
   *     {@code (not visible)} behind it
   */
  public List<String> tabs() {
    List<String> stops = new ArrayList<>();
    driver.executeScript("window.scrollTo(0, 0); document.activeElement.blur();");
    for (int i = 0; i < STOPS; i++) {
      driver.switchTo().activeElement().sendKeys(Keys.TAB);
      WebElement at = driver.switchTo().activeElement();
      String stop = (String) driver.executeAsyncScript(DESCRIBE + FOCUS, at);
      if (stop == null) {
        return stops;
      }
      stops.add(stop);
    }
    throw new AssertionError("the Tab key comes to no end: " + stops);
  }

  /** What the Tab key has to reach, in the order of the page, as {@link #tabs} writes it. */
  public List<?> reachable() {
    return (List<?>)
        Objects.requireNonNull(
            driver.executeScript(
                DESCRIBE
                    + """
                    return [...document.querySelectorAll('a[href],button,input,select,summary')]
                      .filter(e => !e.hidden).map(describe);
                    """));
  }

  private static final String DESCRIBE =
      """
      const describe = e => e.tagName + ' ' + (e.getAttribute('name') || e.textContent.trim());
      """;

  /** Some frames are given to it, for what got the focus is scrolled to later. */
  private static final String FOCUS =
      """
      const e = arguments[0];
      const done = arguments[1];
      const look = frames => {
        const style = getComputedStyle(e);
        const box = e.getBoundingClientRect();
        const shown = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0
          && box.width > 0 && box.right > 0 && box.left < innerWidth
          && box.bottom > 0 && box.top < innerHeight;
        if (shown || frames === 0) {
          done(describe(e) + (shown ? '' : ' (not visible)'));
        } else {
          requestAnimationFrame(() => look(frames - 1));
        }
      };
      if (e === document.body || window.seen && window.seen.has(e)) {
        window.seen = null;
        done(null);
      } else {
        (window.seen ||= new Set()).add(e);
        look(60);
      }
      """;

  @Override
  public void close() {
    driver.quit();
  }
}
