package dev.rekindle.browser;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests a {@link Browser}: one for all of a module, closed after the last. Where there is
 * none the tests are skipped, unless the environment has {@code REKINDLE_BROWSER=required}.
 */
public final class BrowserExtension implements ExecutionCondition, ParameterResolver {
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final String REQUIRED = "required";

  /** For JUnit. */
  public BrowserExtension() {}

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return decide(Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER), System.getenv());
  }

  static ConditionEvaluationResult decide(boolean present, Map<String, String> environment) {
    if (present) {
      return ConditionEvaluationResult.enabled("Chromium is there");
    }
    if (REQUIRED.equals(environment.get("REKINDLE_BROWSER"))) {
      return ConditionEvaluationResult.enabled("fails, for a browser is required and not there");
    }
    return ConditionEvaluationResult.disabled(
        "no %s or no %s: apt-get install chromium chromium-driver".formatted(CHROMIUM, DRIVER));
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Browser.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    // JUnit closes what is in the store of the root after the last test.
    Browser browser =
        context
            .getRoot()
            .getStore(Namespace.create(BrowserExtension.class))
            .computeIfAbsent(Browser.class, _ -> Browser.start(DRIVER, CHROMIUM), Browser.class);
    browser.forget();
    return browser;
  }
}
