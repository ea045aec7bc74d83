package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.testbed.proxy.ApiProxy;
import dev.rekindle.testbed.proxy.Call;
import dev.rekindle.testbed.proxy.Rule;
import dev.rekindle.testbed.proxy.Treatment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Recoveries while the controllers' calls to the API server fare badly, for a while or for good.
 */
@Order(12)
@OnTestbed
@EnabledIfSystemProperty(
    named = "testbed.trouble",
    matches = "true",
    disabledReason = "not all of it has been seen to pass: -Dtestbed.trouble=true runs it")
class ApiTroubleIT {
  private static final Duration RECOVERY = Duration.ofMinutes(2);
  private static final String SAYS = "the proxy of the test says no";

  private static @Nullable Detour detour;

  private static ApiProxy proxy(Scene scene) {
    if (detour == null) {
      detour = Detour.open(scene.controller());
    }
    return detour.proxy();
  }

  @AfterAll
  static void goBack() {
    if (detour != null) {
      detour.close();
      detour = null;
    }
  }

  /** What does not last, and must cost time only. */
  @SuppressWarnings("ImmutableEnumChecker") // A predicate counts its calls.
  enum Passing {
    ANSWERED_429(every(2, Call::writes), new Treatment.Refused(429, "TooManyRequests", SAYS, 1)),
    ANSWERED_500(every(3, _ -> true), new Treatment.Refused(500, "InternalError", SAYS, 0)),
    ANSWERED_503(every(3, _ -> true), new Treatment.Refused(503, "ServiceUnavailable", SAYS, 1)),
    LATE(every(1, call -> !call.watches()), new Treatment.Late(Duration.ofMillis(700))),
    LOST(every(3, call -> !call.watches()), new Treatment.Lost()),
    UNHEARD(every(2, Call::writes), new Treatment.Unheard());

    private final Predicate<Call> which;
    private final Treatment treatment;

    Passing(Predicate<Call> which, Treatment treatment) {
      this.which = which;
      this.treatment = treatment;
    }
  }

  private static Predicate<Call> every(int nth, Predicate<Call> which) {
    AtomicLong seen = new AtomicLong();
    return call -> which.test(call) && seen.incrementAndGet() % nth == 0;
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  void shouldRecoverWhileCallsAre(Passing passing, Scene scene) {
    ApiProxy proxy = proxy(scene);
    TrainingJob job = scene.job("trouble").light().start();
    job.awaitStep(15);
    Set<String> old = job.placement().keySet();
    String faulty = job.nodeOf("worker-0");
    try (Rule rule = proxy.treat(passing.which, passing.treatment)) {
      scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
      job.recoveries().awaitRecovered(RECOVERY);
      assertThat(rule.hits()).as("calls that fared badly").isGreaterThan(5);
    }
    trainsElsewhere(job, old, faulty);
  }

  @Test
  void shouldRecoverWhileItsWatchesAreDroppedAgainAndAgain(Scene scene) {
    ApiProxy proxy = proxy(scene);
    TrainingJob job = scene.job("dropped").light().start();
    job.awaitStep(15);
    Set<String> old = job.placement().keySet();
    String faulty = job.nodeOf("worker-0");
    AtomicLong dropped = new AtomicLong();
    Thread cutter =
        Thread.ofVirtual()
            .start(
                () -> {
                  while (!Thread.interrupted()) {
                    dropped.addAndGet(proxy.cut(Call::watches));
                    try {
                      Thread.sleep(Duration.ofSeconds(1));
                    } catch (InterruptedException over) {
                      return;
                    }
                  }
                });
    try {
      scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
      job.recoveries().awaitRecovered(RECOVERY);
    } finally {
      cutter.interrupt();
    }
    assertThat(dropped).hasValueGreaterThan(20);
    trainsElsewhere(job, old, faulty);
  }

  /** The connection stands, its other end has vanished: only the clock can tell. */
  @Test
  void shouldNoticeWatchesThatBringNothingAnyMore(Scene scene) {
    ApiProxy proxy = proxy(scene);
    TrainingJob job = scene.job("halfopen").light().start();
    job.awaitStep(15);
    Set<String> old = job.placement().keySet();
    String faulty = job.nodeOf("worker-0");
    scene.onCleanUp(() -> proxy.cut(Call::watches));
    assertThat(proxy.mute(c -> c.watches() && c.resource().equals("nodefaults"))).isPositive();
    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    scene.cluster().awaitFault(faulty, "XID-79");
    Await.until(
        "the fault that no watch told of is seen",
        Duration.ofSeconds(100),
        () -> Cluster.fencedByUs(scene.cluster().node(faulty)));
    job.recoveries().awaitRecovered(RECOVERY);
    trainsElsewhere(job, old, faulty);
  }

  /** What is refused for good: the calls of one kind, with a text of the API server's. */
  @SuppressWarnings("ImmutableEnumChecker") // Treatments are records of words and numbers.
  enum Refused {
    INSPECTOR_BY_QUOTA("POST", "jobs", 403, "Forbidden"),
    INSPECTOR_AS_INVALID("POST", "jobs", 422, "Invalid"),
    SUSPENSION("PATCH", "pytorchjobs", 403, "Forbidden"),
    SUSPENSION_AS_INVALID("PATCH", "pytorchjobs", 422, "Invalid"),
    DELETION_OF_PODS("DELETE", "pods", 403, "Forbidden"),
    CORDON("PATCH", "nodes", 403, "Forbidden");

    private final String method;
    private final String resource;
    private final Treatment treatment;

    Refused(String method, String resource, int code, String reason) {
      this.method = method;
      this.resource = resource;
      this.treatment = new Treatment.Refused(code, reason, SAYS, 0);
    }

    private boolean takes(Call call) {
      return call.method().equals(method) && call.resource().equals(resource);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  void shouldRecoverOrSayWhyNotWhenRefusedForGood(Refused refused, Scene scene) {
    ApiProxy proxy = proxy(scene);
    TrainingJob job = scene.job("refused").light().start();
    job.awaitStep(15);
    Set<String> old = job.placement().keySet();
    try (Rule rule = proxy.treat(refused::takes, refused.treatment)) {
      scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
      Recovery recovery =
          Await.value(
              "a recovery that is over, or holds and says what it was answered",
              RECOVERY,
              () -> job.recoveries().all().stream().filter(ApiTroubleIT::overOrTruthful).findAny(),
              job.recoveries()::describe);
      assertThat(rule.hits()).as("refused calls").isBetween(1L, 200L);
      if (!Recoveries.recovered(recovery)) {
        assertThat(job.suspended() || job.placement().keySet().equals(old))
            .as("suspended with an open recovery that says why, or untouched")
            .isTrue();
      }
    }
    Await.until(
        "the job trains once nothing is refused any more",
        RECOVERY,
        () -> !job.suspended() && job.pods().size() == 2,
        job.recoveries()::describe);
    job.awaitProgress(5);
  }

  private static boolean overOrTruthful(Recovery recovery) {
    return Recoveries.recovered(recovery)
        || (Recoveries.held(recovery)
            && Recoveries.words(recovery).anyMatch(w -> w.contains(SAYS)));
  }

  private static void trainsElsewhere(TrainingJob job, Set<String> old, String faulty) {
    long reached = job.log().reached(s -> old.contains(s.uid()));
    job.awaitNewGenerationPast(reached, old, Duration.ofSeconds(30));
    assertThat(job.placement().values()).doesNotContain(faulty);
    assertThat(job.recoveries().all()).hasSize(1);
    assertThat(List.copyOf(job.placement().keySet())).doesNotContainAnyElementsOf(old);
  }
}
