package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.browser.Browser;
import dev.rekindle.browser.BrowserExtension;
import io.micronaut.context.annotation.Property;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.test.extensions.junit5.annotation.MicronautTest;
import jakarta.inject.Inject;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** The console in a browser, as people meet it. */
@ExtendWith(BrowserExtension.class)
@MicronautTest
@Property(name = "micronaut.server.port", value = "-1")
@Property(name = "micronaut.server.host", value = "localhost")
@Timeout(120)
class BrowserTest {
  private static final String SHOWN = "seen-r1";

  static {
    Stream.of("ml", "other")
        .map(n -> Given.recovery(n, SHOWN, RecoveryPhase.RECOVERED, Given.T0.minusSeconds(9000)))
        .forEach(r -> StubClients.CLUSTER.client().resource(r).create());
    if (StubClients.CLUSTER.client().resources(NodeFault.class).list().getItems().isEmpty()) {
      StubClients.CLUSTER.client().resource(Given.fault()).create();
    }
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
      strings = {"/recoveries", "/recoveries/ml/seen-r1", "/nodes/node-06", "/fleet", "/login"})
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
    StubClients.CLUSTER
        .client()
        .resource(Given.recovery("live", "new-r1", RecoveryPhase.VERIFYING, Given.T0))
        .create();
    browser.until("read", () -> watch.recoveries().find("live", "new-r1").isPresent());
    logIn(browser, "alice");
    open(browser, "/recoveries/live/new-r1");
    assertThat(browser.text()).contains("Verifying new-r1");
    browser.evaluate("window.same = true");
    // The stream is open when its first word has come, and nothing that happens later is missed.
    browser.until("listens", () -> listens(browser));
    StubClients.CLUSTER
        .client()
        .resources(Recovery.class)
        .inNamespace("live")
        .withName("new-r1")
        .edit(
            r -> {
              r.setStatus(
                  Given.recovery("live", "new-r1", RecoveryPhase.RECOVERED, Given.T0).getStatus());
              return r;
            });
    browser.until("updated", () -> browser.text().contains("Recovered new-r1"));
    assertThat(browser.evaluate("return window.same")).isEqualTo(true);
    assertThat(browser.evaluate("return document.getElementById('announce').textContent"))
        .isEqualTo("The page has been updated");
    assertThat(browser.problems()).isEmpty();
  }

  private static boolean listens(Browser browser) {
    return Objects.equals(
        browser.evaluate(
            """
            return performance.getEntriesByType('resource')
              .some(e => e.name.includes('/api/v1/events'));
            """),
        true);
  }
}
