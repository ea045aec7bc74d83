package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.testbed.proxy.ApiProxy;
import dev.rekindle.testbed.proxy.Call;
import dev.rekindle.testbed.proxy.Rule;
import dev.rekindle.testbed.proxy.Treatment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
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

/** Recoveries while the controllers' calls to the API server fail, for a while or permanently. */
@Order(12)
@OnTestbed
class ApiTroubleIT {
  private static final Duration RECOVERY = Duration.ofMinutes(5);
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
  @SuppressWarnings("ImmutableEnumChecker") // Predicates here hold nothing.
  enum Passing {
    ANSWERED_429(2, Call::writes, new Treatment.Refused(429, "TooManyRequests", SAYS, 1)),
    ANSWERED_500(3, _ -> true, new Treatment.Refused(500, "InternalError", SAYS, 0)),
    ANSWERED_503(3, _ -> true, new Treatment.Refused(503, "ServiceUnavailable", SAYS, 1)),
    LATE(1, call -> !call.watches(), new Treatment.Late(Duration.ofMillis(700))),
    LOST(3, call -> !call.watches(), new Treatment.Lost()),
    UNHEARD(2, Call::writes, new Treatment.Unheard());

    private final int nth;
    private final Predicate<Call> among;
    private final Treatment treatment;

    Passing(int nth, Predicate<Call> among, Treatment treatment) {
      this.nth = nth;
      this.among = among;
      this.treatment = treatment;
    }

    /** Every nth call; so many times fewer where others share the calls with it. */
    private Predicate<Call> which(int sharing) {
      AtomicLong seen = new AtomicLong();
      return call -> among.test(call) && seen.incrementAndGet() % (nth * (long) sharing) == 0;
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @EnabledIfSystemProperty(
      named = Testbed.ALL,
      matches = "true",
      disabledReason = "every build runs all of them at once")
  void shouldRecoverWhileCallsAre(Passing passing, Scene scene) {
    recoverUnder(EnumSet.of(passing), scene);
  }

  /**
   * A rebuild, a restart in place, a stall and a silent node, side by side, each job on nodes of
   * its own.
   */
  @Test
  @OnAllNodes
  void shouldRecoverWhileCallsFareBadlyInEveryWayAndWatchesAreDropped(Scene scene) {
    ApiProxy proxy = proxy(scene);
    Map<Trouble, TroubledJob> jobs = new EnumMap<>(Trouble.class);
    for (Trouble trouble : Trouble.values()) {
      jobs.put(trouble, trouble.start(scene));
    }
    jobs.values().forEach(TroubledJob::awaitTraining);
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
    List<Rule> rules = treat(EnumSet.allOf(Passing.class), proxy);
    try {
      jobs.values().forEach(TroubledJob::strike);
      jobs.values().forEach(job -> job.awaitRecoveredOrHeld(SAYS));
      awaitHits(rules);
    } finally {
      rules.forEach(Rule::close);
      cutter.interrupt();
    }
    assertThat(dropped).as("watches cut").hasValueGreaterThan(20);
    jobs.values().forEach(TroubledJob::check);
  }

  /** A recovery takes few calls; leases are renewed all the time. */
  private static void awaitHits(List<Rule> rules) {
    Await.until(
        "calls of every kind that fared badly",
        Duration.ofMinutes(1),
        () -> rules.stream().allMatch(rule -> rule.hits() > 2));
  }

  private static List<Rule> treat(Set<Passing> ways, ApiProxy proxy) {
    int sharing = (ways.size() + 1) / 2;
    return ways.stream().map(way -> proxy.treat(way.which(sharing), way.treatment)).toList();
  }

  private static void recoverUnder(Set<Passing> ways, Scene scene) {
    ApiProxy proxy = proxy(scene);
    TrainingJob job = scene.job("trouble").light().start();
    job.awaitStep(15);
    Set<String> old = job.placement().keySet();
    String faulty = job.nodeOf("worker-0");
    List<Rule> rules = treat(ways, proxy);
    try {
      scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
      job.recoveries().awaitRecovered();
      awaitHits(rules);
    } finally {
      rules.forEach(Rule::close);
    }
    trainsElsewhere(job, old, faulty);
  }

  /**
   * The connection stands, its other end has vanished: only the clock can show it. Beside that, as
   * it takes a minute, jobs of which each is refused something else for good, and no job another
   * one's calls.
   */
  @Test
  @OnAllNodes
  void shouldNoticeWatchesThatBringNothingAndRecoverJobsOrSayWhyNotWhenRefusedPermanently(
      Scene scene) {
    ApiProxy proxy = proxy(scene);
    TrainingJob job = scene.job("halfopen").light().onNodes(Half.FIRST.nodes()).start();
    Map<Refused, TrainingJob> refused = new EnumMap<>(Refused.class);
    for (Refused what : EnumSet.complementOf(EnumSet.of(Refused.CORDON))) {
      refused.put(
          what,
          scene
              .job("refused")
              .light()
              .onNodes(Half.SECOND.nodes())
              .restartPolicy(what.restartPolicy())
              .start());
    }
    job.awaitStep(15);
    refused.values().forEach(one -> one.awaitStep(15));
    Set<String> old = job.placement().keySet();
    String faulty = job.nodeOf("worker-0");
    scene.onCleanUp(() -> proxy.cut(Call::watches));
    // Not while it is being opened anew.
    Await.until(
        "a watch of faults that can be muted",
        Duration.ofMinutes(1),
        () -> proxy.mute(c -> c.watches() && c.resource().equals("nodefaults")) > 0);
    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    scene.cluster().awaitFault(faulty, "XID-79");
    recoverOrSayWhyNot(proxy, refused);
    Await.until(
        "the fault that no watch showed is seen",
        Duration.ofMinutes(4),
        () -> Cluster.fencedByUs(scene.cluster().node(faulty)));
    job.recoveries().awaitRecovered();
    trainsElsewhere(job, old, faulty);
  }

  /** Permanently refused calls: those of one kind, with a text of the API server's. */
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

    /**
     * Under Never no pod is deleted by us until the operator has seen the suspension, or failed the
     * job: it may have deleted them all by then. Under ExitCode we delete them right after it.
     */
    private String restartPolicy() {
      return this == DELETION_OF_PODS ? "ExitCode" : "Never";
    }

    private boolean takes(Call call, TrainingJob job) {
      return call.method().equals(method)
          && call.resource().equals(resource)
          && (this == CORDON || call.names(job.name()));
    }
  }

  private static void recoverOrSayWhyNot(ApiProxy proxy, Map<Refused, TrainingJob> jobs) {
    List<Trial> trials = new ArrayList<>();
    try {
      jobs.forEach((refused, job) -> trials.add(Trial.begin(proxy, refused, job)));
      jobs.values().forEach(job -> Host.kill(job.processes("worker-0")));
      trials.forEach(Trial::awaitRecoveredOrHeld);
    } finally {
      trials.forEach(Trial::close);
    }
    jobs.values().forEach(ApiTroubleIT::trainsAgain);
  }

  @Test
  void shouldSayWhyNotWhenTheCordonIsRefusedPermanently(Scene scene) {
    ApiProxy proxy = proxy(scene);
    TrainingJob job = scene.job("refused").light().start();
    job.awaitStep(15);
    try (Trial trial = Trial.begin(proxy, Refused.CORDON, job)) {
      scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
      trial.awaitRecoveredOrHeld();
    }
    trainsAgain(job);
  }

  /**
   * A job of which some calls are refused.
   *
   * @param old UIDs of its pods before
   */
  private record Trial(Rule rule, TrainingJob job, Set<String> old) implements AutoCloseable {
    static Trial begin(ApiProxy proxy, Refused refused, TrainingJob job) {
      Rule rule = proxy.treat(call -> refused.takes(call, job), refused.treatment);
      return new Trial(rule, job, job.placement().keySet());
    }

    void awaitRecoveredOrHeld() {
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

    @Override
    public void close() {
      rule.close();
    }
  }

  private static void trainsAgain(TrainingJob job) {
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
    job.awaitNewGenerationPast(reached, old);
    assertThat(job.placement().values()).doesNotContain(faulty);
    assertThat(job.recoveries().all()).hasSize(1);
    assertThat(List.copyOf(job.placement().keySet())).doesNotContainAnyElementsOf(old);
  }
}
