package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.browser.Browser;
import dev.rekindle.browser.InBrowser;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.micronaut.context.annotation.Property;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.test.extensions.junit5.annotation.MicronautTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** The console in a browser, as people meet it. */
@InBrowser
@MicronautTest
@Property(name = "micronaut.server.port", value = "-1")
@Property(name = "micronaut.server.host", value = "localhost")
@Timeout(120)
class BrowserTest {
  private static final String SHOWN = "seen-r1";

  private static final List<HasMetadata> OBJECTS =
      List.of(
          Given.recovery("ml", SHOWN, RecoveryPhase.RECOVERED, Given.T0.minusSeconds(9000)),
          Given.recovery("other", SHOWN, RecoveryPhase.RECOVERED, Given.T0.minusSeconds(9000)),
          Given.recovery("live", "new-r1", RecoveryPhase.VERIFYING, Given.T0),
          Given.fault());

  static {
    // The fault may be there already, from another class.
    OBJECTS.forEach(o -> StubClients.CLUSTER.client().resource(o).createOr(r -> r.update()));
  }

  /** Other classes have the same cluster, and count what is in it. */
  @AfterAll
  static void deleteObjects() {
    OBJECTS.forEach(o -> StubClients.CLUSTER.client().resource(o).delete());
  }

  @Inject private EmbeddedServer server;
  @Inject private ClusterWatch watch;

  private void open(Browser browser, String path) {
    browser.open(server.getURI() + path);
  }

  private void logIn(Browser browser, String token) {
    browser.until("read", () -> watch.recoveries().find("other", SHOWN).isPresent());
    open(browser, "/login");
    browser.driver().findElement(By.name("token")).sendKeys(token, Keys.ENTER);
    browser.until("logged in", () -> path(browser).equals("/recoveries"));
  }

  private String path(Browser browser) {
    return Objects.requireNonNull(browser.driver().getCurrentUrl())
        .substring(server.getURI().toString().length());
  }

  @Test
  void shouldGoFromTheLoginToARecoveryAndBack(Browser browser) {
    open(browser, "/recoveries");
    assertThat(path(browser)).isEqualTo("/login");
    logIn(browser, "bob");
    assertThat(browser.text()).contains(SHOWN);
    browser.driver().findElement(By.linkText(SHOWN)).sendKeys(Keys.ENTER);
    browser.until("opened", () -> path(browser).equals("/recoveries/ml/" + SHOWN));
    assertThat(browser.driver().findElement(By.tagName("h1")).getAccessibleName())
        .contains("Recovered", SHOWN);
    assertThat(browser.text()).contains("<script>document.title='owned'</script>");
    assertThat(browser.driver().getTitle()).isEqualTo("Recovery " + SHOWN);
    browser.driver().navigate().back();
    browser.until("back", () -> path(browser).equals("/recoveries"));
    assertThat(browser.text()).contains(SHOWN);
    assertThat(browser.problems()).isEmpty();
  }

  @Test
  void shouldSayWhyATokenIsNotTaken(Browser browser) {
    open(browser, "/login");
    browser.driver().findElement(By.name("token")).sendKeys("mallory", Keys.ENTER);
    browser.until(
        "refused", () -> !browser.driver().findElements(By.cssSelector("[role=alert]")).isEmpty());
    assertThat(browser.text()).contains("The cluster does not know this token.");
    assertThat(browser.violations()).isEmpty();
  }

  @Test
  void shouldRefuseAnotherNamespacesRecoveryWithAPage(Browser browser) {
    logIn(browser, "eve");
    open(browser, "/recoveries/ml/" + SHOWN);
    assertThat(
            browser.evaluate("return performance.getEntriesByType('navigation')[0].responseStatus"))
        .isEqualTo(403L);
    assertThat(browser.driver().findElements(By.tagName("h1"))).hasSize(1);
    assertThat(browser.text()).doesNotContain("XID-79", SHOWN);
    assertThat(browser.violations()).isEmpty();
    assertThat(browser.problems()).singleElement().asString().contains("403");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/recoveries",
        "/recoveries/ml/seen-r1",
        "/nodes/node-06",
        "/fleet",
        "/policies",
        "/login"
      })
  void shouldBeAPageForEverybody(String page, Browser browser) {
    logIn(browser, "alice");
    open(browser, page);
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

  @Test
  void shouldShowAChangeWithoutBeingLoadedAgain(Browser browser) {
    logIn(browser, "alice");
    open(browser, "/recoveries/live/new-r1");
    assertThat(browser.text()).contains("Verifying new-r1");
    browser.evaluate("window.same = true");
    // Again and again: the browser gets no events from before it listens.
    browser.until(
        "updated",
        () -> {
          recover("live", "new-r1");
          return browser.text().contains("Recovered new-r1");
        });
    assertThat(browser.evaluate("return window.same")).isEqualTo(true);
    assertThat(browser.evaluate("return document.getElementById('announce').textContent"))
        .isEqualTo("The page has been updated");
    assertThat(browser.problems()).isEmpty();
  }

  private static void recover(String namespace, String name) {
    StubClients.CLUSTER
        .client()
        .resources(Recovery.class)
        .inNamespace(namespace)
        .withName(name)
        .edit(
            r -> {
              r.getMetadata().setLabels(Map.of("written", String.valueOf(System.nanoTime())));
              r.setStatus(
                  Given.recovery(namespace, name, RecoveryPhase.RECOVERED, Given.T0).getStatus());
              return r;
            });
  }
}
