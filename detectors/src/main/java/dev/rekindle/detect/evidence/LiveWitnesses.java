package dev.rekindle.detect.evidence;

import dev.rekindle.api.RankDevice;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankReportStatus.Witnesses;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.logging.LogKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Inspections at the ranks of pods that train: once when a container has shown its first step, as
 * its ranks have made their process groups by then, and then every ten minutes. Where a container
 * shows no step, which may be as only rank 0 prints them, the first inspection is ten minutes after
 * it was first asked about.
 *
 * <p>An inspection costs one pass over the node's {@code /proc} and the opening of a pipe for each
 * rank. Between inspections there is a comparison of times per call, and an agent without pods
 * makes no call.
 *
 * <p>Each inspection has a thread of its own: a pipe may be on a file system that does not answer.
 * A thread that hangs is left behind and its container is not inspected again. So many may be, of
 * one namespace and in all.
 *
 * <p>Calls come from one thread.
 */
public final class LiveWitnesses implements RankWitnesses {
  /** Between two inspections of one container. */
  static final Duration PAUSE = Duration.ofMinutes(10);

  private static final int MOST_THREADS = 10;

  /** Of them for namespaces that have none. One can have three of the others. */
  private static final int KEPT_THREADS = 4;

  private static final Logger LOG = LoggerFactory.getLogger(LiveWitnesses.class);

  private final RankProcesses processes;
  private final ContainerFiles files;
  private final LongFunction<Optional<RankDevice>> devices;
  private final InstantSource clock;
  private final Executor threads;
  private final ThreadShare free = new ThreadShare(MOST_THREADS, KEPT_THREADS);
  private final Map<String, Inspections> byPod = new HashMap<>();

  /** The inspections of one run of a container. */
  private static final class Inspections {
    final String container;
    Instant next;
    boolean begun;
    volatile boolean busy;
    volatile @Nullable Witnesses found;

    Inspections(String container, Instant next) {
      this.container = container;
      this.next = next;
    }

    boolean isDue(boolean steps, Instant now) {
      return !busy && (!now.isBefore(next) || (steps && !begun));
    }
  }

  /**
   * Reads the processes of this node.
   *
   * @param proc the proc file system of the node
   * @param devices how busy the GPU of a process is, by its number on the node; does not wait
   */
  public LiveWitnesses(Path proc, LongFunction<Optional<RankDevice>> devices) {
    this(
        new RankProcesses(proc),
        new MountedFiles(proc),
        devices,
        SteadyClock.system(),
        task -> {
          var _ = Thread.ofPlatform().daemon().name("witnesses").start(task);
        });
  }

  LiveWitnesses(
      RankProcesses processes,
      ContainerFiles files,
      LongFunction<Optional<RankDevice>> devices,
      InstantSource steady,
      Executor threads) {
    this.processes = processes;
    this.files = files;
    this.devices = devices;
    this.clock = steady;
    this.threads = threads;
  }

  @Override
  public Optional<Witnesses> of(TrainingPod pod, boolean steps) {
    var now = clock.instant();
    var inspections = byPod.get(pod.uid());
    if (inspections == null || !inspections.container.equals(pod.container().id())) {
      inspections = new Inspections(pod.container().id(), now.plus(PAUSE));
      byPod.put(pod.uid(), inspections);
    }
    if (pod.container().running() && inspections.isDue(steps, now) && free.take(pod.namespace())) {
      inspections.begun = true;
      inspections.busy = true;
      inspections.next = now.plus(PAUSE);
      begin(pod, inspections);
    }
    return Optional.ofNullable(inspections.found);
  }

  @Override
  public void retain(Set<String> podUids) {
    byPod.keySet().retainAll(podUids);
  }

  private void begin(TrainingPod pod, Inspections inspections) {
    threads.execute(
        () -> {
          try {
            inspections.found = inspect(inspections.container);
          } catch (IOException | RuntimeException e) {
            inspections.found = null;
            LOG.atDebug()
                .addKeyValue(LogKey.NAMESPACE.key(), pod.namespace())
                .addKeyValue(LogKey.POD.key(), pod.name())
                .addKeyValue(LogKey.ERROR.key(), e.toString())
                .log("Cannot inspect the ranks of a pod that trains");
          } finally {
            inspections.busy = false;
            free.giveBack(pod.namespace());
          }
        });
  }

  private Witnesses inspect(String container) throws IOException {
    var all = processes.of(container).first(RankEvidence.MOST_RANKS);
    var ranks = all.ranks();
    if (all.leftOut() > 0) {
      LOG.atInfo()
          .addKeyValue(LogKey.COUNT.key(), all.leftOut())
          .log("More ranks in a container than are inspected: doctor does not count these");
    }
    int read = 0;
    int unread = 0;
    int gpus = 0;
    for (var rank : ranks) {
      gpus += devices.apply(rank.pid()).isPresent() ? 1 : 0;
      if (rank.pipePrefix().isEmpty()) {
        continue;
      }
      if (files.isRead(rank.pid(), rank.pipe())) {
        read++;
      } else {
        unread++;
      }
    }
    return new Witnesses(ranks.size(), read, unread, gpus);
  }
}
