package dev.rekindle.agent.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.pods.ApiPause;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A call that gets no answer takes ten seconds; a round that takes two minutes counts as stuck. */
class SilentServerTest extends ProgressFixture {
  @Test
  void shouldWaitOnceForAnAnswerAndNotForEachPod() {
    optIn();
    for (int i = 1; i < 20; i++) {
      pods.add(pod("job-worker-" + i, "%08d-aaaa".formatted(i), false));
    }
    loop.tick();
    assertThat(asked).isEqualTo(20);
    crud.stop();

    asked = 0;
    tickAfter(Duration.ofSeconds(6));
    assertThat(asked).isEqualTo(1);
    tickAfter(ApiPause.PAUSE);
    assertThat(asked).isEqualTo(2);
  }

  @Test
  void shouldMakeNoCallWhileItPausesAndReadLogsOn() throws Exception {
    optIn();
    loop.tick();
    print(0, "step: 1 loss: 2.5");
    crud.requests.clear();

    pause.failed(new KubernetesClientException("timed out"));
    tickAfter(ApiPause.PAUSE.minusSeconds(1));
    assertThat(crud.requests).isEmpty();
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().lastStep()).isEqualTo(1);
  }

  @Test
  void shouldNotPauseForAnAnswer() {
    pause.failed(new KubernetesClientException("no", 503, null));
    assertThat(pause.isOn()).isFalse();
  }
}
