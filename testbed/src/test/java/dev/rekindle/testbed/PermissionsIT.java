package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The last word of the suite: what controller and agents may do was enough for all of it. */
@Order(Integer.MAX_VALUE)
@OnTestbed
class PermissionsIT {
  @Test
  void shouldNeverHaveBeenRefusedByTheApiServer(Scene scene) {
    List<LogLine> all = scene.testbed().systemLogs().since(Instant.EPOCH);
    assertThat(all).as("the logs were followed").isNotEmpty();
    assertThat(all)
        .filteredOn(l -> l.text().toLowerCase(Locale.ROOT).contains("forbidden"))
        .as("refusals")
        .isEmpty();
  }
}
