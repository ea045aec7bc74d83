package dev.rekindle.testbed.scale;

import dev.rekindle.api.RankReport;
import dev.rekindle.api.RankReportSpec;
import dev.rekindle.api.RankReportStatus;
import dev.rekindle.api.ReportName;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Plays the training and what the agents report of it: steps that grow, stand still from the fault
 * on, and begin again, from an earlier step, once every rank of the new generation runs. A report
 * for each pod, at once when its run or its first step is new, else each interval.
 */
final class Ranks implements AutoCloseable {
  private static final Duration TICK = Duration.ofMillis(200);
  private static final Duration STEP = Duration.ofMillis(100);
  private static final Duration NEVER = Duration.ofDays(1);
  private static final long FIRST = 1_000;
  private static final long AGAIN = 901;

  private record Written(int run, @Nullable Long firstStep, Instant next) {}

  private record Steps(@Nullable Long first, @Nullable Instant since, @Nullable Instant until) {}

  private final Api api;
  private final Gang gang;
  private final String job;
  private final int size;
  private final Duration interval;
  private final Milestones moments;
  private final Map<String, RankReport> stored = new ConcurrentHashMap<>();
  private final Map<String, Written> written = new ConcurrentHashMap<>();
  private final Set<String> underWay = ConcurrentHashMap.newKeySet();
  private final AtomicInteger writes = new AtomicInteger();
  private final Instant began = Instant.now();
  private Map<String, Integer> old = Map.of();
  private @Nullable Instant stands;
  private @Nullable Instant again;
  private volatile boolean closed;

  Ranks(Api api, Gang gang, String job, int size, Duration interval, Milestones moments) {
    this.api = api;
    this.gang = gang;
    this.job = job;
    this.size = size;
    this.interval = interval.isZero() ? NEVER : interval;
    this.moments = moments;
  }

  void start() {
    var _ = Thread.ofPlatform().name("ranks").daemon().start(this::loop);
  }

  int writes() {
    return writes.get();
  }

  /** Has every report written once more, whatever the interval; returns when that is done. */
  void round() {
    Instant asked = Instant.now();
    written.replaceAll((_, one) -> new Written(one.run(), one.firstStep(), asked));
    while (written.size() < size
        || written.values().stream().anyMatch(one -> !one.next().isAfter(asked))) {
      Api.sleep(TICK);
    }
  }

  /** From now on no rank makes a step, until a whole new generation runs. */
  synchronized void stall() {
    Map<String, Integer> runs = new ConcurrentHashMap<>();
    gang.pods().forEach(pod -> runs.put(pod.getMetadata().getUid(), run(pod)));
    old = Map.copyOf(runs);
    stands = Instant.now();
  }

  @Override
  public void close() {
    closed = true;
  }

  private void loop() {
    while (!closed) {
      tick();
      Api.sleep(TICK);
    }
  }

  private synchronized void tick() {
    List<Pod> pods = gang.pods().stream().filter(Kubelets::runs).toList();
    Instant now = Instant.now();
    if (stands != null
        && again == null
        && pods.size() == size
        && pods.stream().allMatch(this::isNew)) {
      again = now;
    }
    Set<String> there = new HashSet<>();
    for (Pod pod : pods) {
      String uid = pod.getMetadata().getUid();
      there.add(uid);
      Steps steps = steps(pod);
      Written before = written.get(uid);
      boolean due =
          before == null
              || before.run() != run(pod)
              || !Objects.equals(before.firstStep(), steps.first())
              || !now.isBefore(before.next());
      if (due && underWay.add(uid)) {
        Thread.startVirtualThread(() -> write(pod, steps));
      }
    }
    stored.keySet().retainAll(there);
    written.keySet().retainAll(there);
  }

  private boolean isNew(Pod pod) {
    Integer before = old.get(pod.getMetadata().getUid());
    return before == null || run(pod) > before;
  }

  private Steps steps(Pod pod) {
    if (stands == null) {
      return new Steps(FIRST, began, null);
    }
    if (!isNew(pod)) {
      return new Steps(FIRST, began, stands);
    }
    return again == null ? new Steps(null, null, null) : new Steps(AGAIN, again, null);
  }

  private void write(Pod pod, Steps steps) {
    String uid = pod.getMetadata().getUid();
    try {
      RankReport answered =
          api.call(
              () -> {
                RankReport report = stored.get(uid);
                if (report == null) {
                  report = api.client().resource(draft(pod)).createOr(there -> there.update());
                }
                report.setStatus(status(run(pod), steps));
                return api.client().resource(report).updateStatus();
              });
      Instant now = Instant.now();
      if (steps.first() != null && steps.first() == AGAIN) {
        moments.first(Milestone.TRAINING, now);
      }
      writes.incrementAndGet();
      stored.put(uid, answered);
      written.put(uid, new Written(run(pod), steps.first(), now.plus(interval)));
    } catch (RuntimeException e) {
      // Its pod may be gone by now; if it is not, the next tick tries again.
      stored.remove(uid);
    } finally {
      underWay.remove(uid);
    }
  }

  private static RankReportStatus status(int run, Steps steps) {
    Instant now = Instant.now();
    if (steps.first() == null || steps.since() == null) {
      return new RankReportStatus(
          run, null, null, null, null, now, "", null, null, null, null, null, null, null);
    }
    Instant until = steps.until() == null ? now : steps.until();
    long made = Duration.between(steps.since(), until).dividedBy(STEP);
    return new RankReportStatus(
        run,
        steps.first(),
        steps.since(),
        steps.first() + made,
        steps.since().plus(STEP.multipliedBy(made)),
        now,
        "",
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  private RankReport draft(Pod pod) {
    String uid = pod.getMetadata().getUid();
    String name = pod.getMetadata().getName();
    RankReport report = new RankReport();
    report.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(pod.getMetadata().getNamespace())
            .withName(ReportName.ofPod(name, uid, pod.getSpec().getNodeName()))
            .addNewOwnerReference()
            .withApiVersion("v1")
            .withKind("Pod")
            .withName(name)
            .withUid(uid)
            .endOwnerReference()
            .build());
    report.setSpec(new RankReportSpec(name, uid, pod.getSpec().getNodeName(), job));
    return report;
  }

  private static int run(Pod pod) {
    return Kubelets.training(pod).getRestartCount();
  }
}
