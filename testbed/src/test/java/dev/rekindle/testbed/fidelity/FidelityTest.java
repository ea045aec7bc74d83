package dev.rekindle.testbed.fidelity;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Without a cluster: the model against what a real one did when it was last recorded. */
class FidelityTest {
  @TestFactory
  Stream<DynamicTest> shouldSeeWhatWasSeenOnARealCluster() {
    return Scenarios.all().stream()
        .map(
            scenario ->
                DynamicTest.dynamicTest(
                    scenario.name(),
                    () -> Fidelity.check(scenario, "recorded", recorded(scenario))));
  }

  private static Observation recorded(Scenario scenario) throws IOException {
    String file = "/fidelity/" + Fidelity.file(scenario.name());
    try (InputStream text =
        Objects.requireNonNull(FidelityTest.class.getResourceAsStream(file), file)) {
      return new Observation(
          new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
    }
  }
}
