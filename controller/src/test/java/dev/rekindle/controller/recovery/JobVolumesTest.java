package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import dev.rekindle.detect.SteadyClock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How often the volumes of a job are read, and what holds while they cannot be. */
class JobVolumesTest {
  private final AtomicLong nanos = new AtomicLong();
  private final List<String> read = new ArrayList<>();
  private final Map<String, BoundVolume> bound = new HashMap<>();
  private @Nullable RuntimeException answer;
  private final JobVolumes volumes =
      new JobVolumes(
          (ClusterGateway)
              Proxy.newProxyInstance(
                  JobVolumesTest.class.getClassLoader(),
                  new Class<?>[] {ClusterGateway.class},
                  (_, _, args) -> {
                    read.add((String) args[1]);
                    if (answer != null) {
                      throw answer;
                    }
                    return Optional.ofNullable(bound.get((String) args[1]));
                  }),
          SteadyClock.of(nanos::get));

  private static JobView with(String... claims) {
    JobView job = job().view();
    return job.withReplicas(
        job.replicas().stream()
            .map(r -> r.withNeeds(r.needs().withClaims(List.of(claims))))
            .toList());
  }

  private List<BoundVolume> of(JobView job) {
    return Objects.requireNonNull(volumes.bound(job)).replicas().getFirst().needs().volumes();
  }

  private void bind(String claim) {
    bound.put(claim, new BoundVolume(claim, "local", List.of()));
  }

  private void later(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void shouldReadEachClaimOnceForAWhile() {
    bind("data");

    assertThat(of(with("data", "unbound"))).extracting(BoundVolume::claim).containsExactly("data");
    assertThat(of(with("data", "unbound"))).hasSize(1);
    assertThat(read).containsExactly("data", "unbound");

    bind("unbound");
    later(JobVolumes.LATELY);
    assertThat(of(with("data", "unbound"))).hasSize(2);
  }

  @Test
  void shouldReadAgainWhereTheJobIsAnotherOneOrNamesOtherClaims() {
    bind("data");
    assertThat(of(with("data"))).hasSize(1);
    assertThat(of(with("other"))).isEmpty();
    assertThat(of(with("data").withUid("another"))).hasSize(1);
    volumes.forget(job().view().key());
    assertThat(of(with("data").withUid("another"))).hasSize(1);

    assertThat(read).containsExactly("data", "other", "data", "data");
  }

  @Test
  void shouldReadNothingForAJobWithoutClaims() {
    assertThat(of(with())).isEmpty();
    assertThat(volumes.bound(null)).isNull();

    assertThat(read).isEmpty();
  }

  @Test
  void shouldTakeAllNodesForReachingWhatItMayNotReadAndAskSeldom() {
    answer = new RefusedException(403, "persistentvolumes is forbidden");

    assertThat(of(with("data"))).isEmpty();
    later(JobVolumes.SOON);
    assertThat(of(with("data"))).isEmpty();
    assertThat(read).hasSize(1);

    answer = null;
    bind("data");
    later(JobVolumes.LATELY);
    assertThat(of(with("data"))).hasSize(1);
  }

  @Test
  void shouldKeepWhatItKnowsWhileNoAnswerComesAndAskAgainSoon() {
    bind("data");
    assertThat(of(with("data"))).hasSize(1);
    later(JobVolumes.LATELY);
    answer = new UnavailableException(503, "no", Duration.ZERO);

    assertThat(of(with("data"))).hasSize(1);
    assertThat(of(with("data"))).hasSize(1);
    assertThat(read).hasSize(2);

    later(JobVolumes.SOON);
    assertThat(of(with("data"))).hasSize(1);
    assertThat(read).hasSize(3);
  }

  /** One call that was lost would have rank 0 planned onto a node without its volume. */
  @Test
  void shouldAskOnceMoreBeforeItTakesAllNodesForReachingAVolume() {
    answer = new UnavailableException(503, "no", Duration.ZERO);
    assertThatThrownBy(() -> of(with("data"))).isSameAs(answer);
    assertThat(of(with("data"))).isEmpty();
    assertThat(read).hasSize(2);

    answer = null;
    bind("data");
    later(JobVolumes.SOON);
    assertThat(of(with("data"))).hasSize(1);
  }

  /** The template is a tenant's. */
  @Test
  void shouldReadSomeOfVeryManyClaims() {
    assertThat(of(with(IntStream.range(0, 60).mapToObj(i -> "claim-" + i).toArray(String[]::new))))
        .isEmpty();

    assertThat(read).hasSize(JobVolumes.MOST_CLAIMS);
  }
}
