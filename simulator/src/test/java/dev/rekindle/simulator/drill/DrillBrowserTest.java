package dev.rekindle.simulator.drill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.browser.Browser;
import dev.rekindle.browser.InBrowser;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/** The page of each scenario, in a browser. */
@InBrowser
@Timeout(120)
class DrillBrowserTest {
  @TempDir private Path folder;

  private String url(Scenario scenario) {
    Path file = folder.resolve(scenario.word() + ".html");
    assertThat(DrillRun.of("--json", "--scenario", scenario.word(), "--page", file.toString()))
        .extracting(DrillRun::code)
        .isEqualTo(0);
    return file.toUri().toString();
  }

  @ParameterizedTest
  @EnumSource(Scenario.class)
  void shouldBeAPageForEverybody(Scenario scenario, Browser browser) {
    browser.open(url(scenario));

    assertThat(browser.driver().getTitle()).isEqualTo("Drill: " + scenario.what());
    assertThat(browser.driver().findElements(By.cssSelector("main article")))
        .isNotEmpty()
        .allSatisfy(article -> assertThat(article.getAriaRole()).isEqualTo("article"))
        .extracting(WebElement::getAccessibleName)
        .allSatisfy(name -> assertThat(name).contains("Recovered"));
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
}
