package dev.rekindle.agent.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankReport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Logs that cannot be read, and reports that cannot be written. */
class ProgressFailuresTest extends ProgressFixture {
  @Test
  void shouldSayWhyWhenStepPatternIsUnusableOrThereIsNoLog() throws IOException {
    job(
        Map.of("rekindle.dev/recover", "true", "rekindle.dev/step-pattern", "step (\\d+"),
        Map.of());
    loop.tick();
    assertThat(status().message()).contains("no RE2 expression").contains("default");
    print(0, "step 3");
    tickAfter(Duration.ofMillis(200));
    assertThat(status().lastStep()).isEqualTo(3);
    job(
        Map.of("rekindle.dev/recover", "true", "rekindle.dev/step-pattern", "batch (\\d+)"),
        Map.of());
    tickAfter(Duration.ofSeconds(30));
    assertThat(status().message()).isEmpty();
    print(0, "batch 7");
    tickAfter(Duration.ofSeconds(5));
    assertThat(status().lastStep()).isEqualTo(7);
  }

  @Test
  void shouldSayThatThereIsNoLogWhenContainerHasNotStarted() {
    optIn();
    loop.tick();
    assertThat(status().message()).contains("no log");
  }

  @Test
  void shouldTryAgainLaterAndLaterWhenWritesFail() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    crud.refuse = request -> request.contains("rankreports") ? 403 : 0;
    print(0, "step 2");
    var writes = new ArrayList<Long>();
    for (long second = 1; second <= 200; second++) {
      var before = crud.requests.size();
      tickAfter(Duration.ofSeconds(1));
      if (crud.requests.subList(before, crud.requests.size()).stream()
          .anyMatch(request -> request.contains("rankreports"))) {
        writes.add(second);
      }
    }
    assertThat(writes).containsExactly(5L, 6L, 8L, 12L, 20L, 36L, 66L, 96L, 126L, 156L, 186L);
    crud.refuse = request -> 0;
    tickAfter(Duration.ofSeconds(30));
    assertThat(status().lastStep()).isEqualTo(2);
  }

  @Test
  void shouldNotTryAgainEveryRoundWhenNewsCannotBeWritten() throws IOException {
    optIn();
    print(0, "hello");
    loop.tick();
    crud.refuse = request -> request.contains("rankreports") ? 403 : 0;
    print(0, "step 1");
    var before = crud.requests.size();
    for (int round = 0; round < 4; round++) {
      tickAfter(Duration.ofMillis(200));
    }
    assertThat(crud.requests.subList(before, crud.requests.size()))
        .filteredOn(request -> request.contains("rankreports"))
        .hasSize(1);
    crud.refuse = request -> 0;
    tickAfter(Duration.ofMillis(400));
    assertThat(status().firstStep()).as("a second after the failure").isEqualTo(1);
  }

  @Test
  void shouldMakeItAgainWhenSomebodyDeletedTheReport() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    crud.client.resources(RankReport.class).inNamespace("team").withName(REPORT).delete();
    tickAfter(Duration.ofSeconds(5));
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().lastStep()).isEqualTo(1);
  }
}
