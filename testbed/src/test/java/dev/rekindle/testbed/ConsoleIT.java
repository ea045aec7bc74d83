package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.browser.Browser;
import dev.rekindle.browser.InBrowser;
import io.fabric8.kubernetes.client.LocalPortForward;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** The console of the installation in a browser, while a job recovers. */
@Order(10)
@OnTestbed
@InBrowser
class ConsoleIT {
  /** What a program may call itself; the driver prints the name of the process. */
  private static final String HOSTILE =
      "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=<script>document.title='owned'</script>,"
          + " GPU has fallen off the bus.";

  @Test
  void shouldShowARecoveryAsItContinues(Scene scene, Browser browser) throws IOException {
    TrainingJob job = scene.job("watched").light().start();
    job.awaitStep(12);
    // The drain lasts until the page has shown it: a browser may be slower than a recovery.
    hold(scene, job, "[\"rekindle.test/hold\"]");
    scene.onCleanUp(
        () -> {
          if (!job.pods().isEmpty()) {
            hold(scene, job, "null");
          }
        });
    ConsoleClient console = new ConsoleClient(scene);
    String token = console.viewerOf(Testbed.NAMESPACE);
    String other = console.viewerOf("kube-public");
    try (LocalPortForward forward = console.forward()) {
      String at = "http://localhost:" + forward.getLocalPort();
      logIn(browser, at, token);
      browser.evaluate("window.same = true");
      assertThat(browser.text()).doesNotContain(job.name());

      scene.cluster().inject(job.nodeOf("worker-0"), HOSTILE);
      browser.until("the list shows it", () -> browser.text().contains(job.name() + "-r1"));
      assertThat(browser.evaluate("return window.same")).as("not loaded again").isEqualTo(true);
      browser.driver().findElement(By.linkText(job.name() + "-r1")).sendKeys(Keys.ENTER);
      browser.until("its page", () -> heading(browser).contains(job.name() + "-r1"));
      Set<String> phases = watched(browser, () -> hold(scene, job, "null"));
      job.recoveries().awaitRecovered();

      assertThat(phases).as("headings, one after another").hasSizeGreaterThan(1);
      assertThat(browser.evaluate("return window.same")).as("not loaded again").isEqualTo(true);
      assertThat(browser.evaluate("return document.getElementById('announce').textContent"))
          .isEqualTo("The page has been updated");
      looksRight(browser);
      refuses(browser, at, other, job);
    }
  }

  /** By a finalizer a pod stays when its containers have ended. */
  private static void hold(Scene scene, TrainingJob job, String finalizers) {
    scene
        .client()
        .pods()
        .inNamespace(Testbed.NAMESPACE)
        .withName(job.name() + "-worker-0")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"finalizers\": %s}}".formatted(finalizers));
  }

  private static void logIn(Browser browser, String at, String token) {
    browser.driver().manage().deleteAllCookies();
    browser.open(at + "/login");
    browser.driver().findElement(By.name("token")).sendKeys(token, Keys.ENTER);
    browser.until("logged in", () -> (at + "/recoveries").equals(browser.driver().getCurrentUrl()));
  }

  private static String heading(Browser browser) {
    return String.valueOf(
        browser.evaluate("return document.querySelector('h1')?.textContent ?? ''"));
  }

  /** What its heading said on the way, without the page being loaded again. */
  private static Set<String> watched(Browser browser, Runnable letGo) {
    browser.evaluate("window.same = true");
    Set<String> seen = new LinkedHashSet<>();
    browser.until(
        "draining, or held as that takes long",
        () -> {
          String heading = heading(browser);
          seen.add(heading);
          return heading.contains("Draining") || heading.contains("Held");
        });
    letGo.run();
    browser.until(
        "recovered",
        () -> {
          seen.add(heading(browser));
          return heading(browser).contains("Recovered");
        });
    return seen;
  }

  /** By role and text, keyboard, axe, a phone; what the program called itself stays text. */
  private static void looksRight(Browser browser) {
    assertThat(browser.text())
        .contains("<script>document.title='owned'</script>")
        .contains("Detected", "Draining", "Planning", "Resuming", "Verifying");
    assertThat(browser.driver().getTitle()).startsWith("Recovery ");
    assertThat(browser.driver().findElement(By.tagName("main")).getAriaRole()).isEqualTo("main");
    assertThat(browser.driver().findElement(By.tagName("h1")).getAccessibleName())
        .contains("Recovered");
    for (String scheme : Browser.SCHEMES) {
      browser.prefer(scheme);
      assertThat(browser.violations()).as("axe, %s", scheme).isEmpty();
    }
    assertThat(browser.tabs()).as("the Tab key").isEqualTo(browser.reachable()).isNotEmpty();
    browser.width(Browser.PHONE);
    assertThat(browser.standsOut()).as("wider than a phone").isEmpty();
    assertThat(browser.violations()).as("axe, phone").isEmpty();
    assertThat(browser.problems()).as("complaints of the browser").isEmpty();
  }

  private static void refuses(Browser browser, String at, String token, TrainingJob job) {
    logIn(browser, at, token);
    assertThat(browser.text()).doesNotContain(job.name());
    browser.open(at + "/recoveries/" + Testbed.NAMESPACE + "/" + job.name() + "-r1");
    assertThat(
            browser.evaluate("return performance.getEntriesByType('navigation')[0].responseStatus"))
        .isEqualTo(403L);
    assertThat(browser.text()).doesNotContain("XID-79", job.name());
  }
}
