package dev.rekindle.detect.evidence;

import dev.rekindle.api.RankActivity;
import dev.rekindle.api.RankDevice;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.python.MainStack;
import dev.rekindle.detect.python.PythonStacks;
import dev.rekindle.detect.restart.GangWitnesses;
import dev.rekindle.logging.LogKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Inspects the ranks of pods, each pod in a thread of its own: a dump may be on a file system that
 * does not answer. What they use is sampled first, as it costs a rank to write a dump. A thread
 * that hangs is left behind; so many may be, of one namespace and in all. A pod for which no thread
 * may be begun waits for one, and is not inspected where none comes in time.
 *
 * <p>Calls come from one thread.
 */
public final class GangEvidence implements GangWitnesses {
  /** What is left of the time for the report and the freeze. */
  private static final Duration LOOKS = RankEvidence.LIMIT.minusMillis(500);

  private static final Duration PAUSE = Duration.ofMillis(100);

  /** In which it is seen what ranks use: fifty of the kernel's ticks. */
  static final Duration WINDOW = Duration.ofMillis(500);

  /** For a thread. A rank that has less time for its dump would be suspect for having none. */
  static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final int MOST_THREADS = 20;

  /**
   * Of them for namespaces that have none. A gang can have eight of the others at once: as many as
   * it has pods on a node of eight GPUs.
   */
  private static final int KEPT_THREADS = 4;

  private static final Logger LOG = LoggerFactory.getLogger(GangEvidence.class);

  private final RankProcesses processes;
  private final ProcessUse use;
  private final LocalAddresses addresses;
  private final Path cgroups;
  private final ContainerFiles files;
  private final LongFunction<MainStack> stacks;
  private final PodLines lines;
  private final LongFunction<Optional<RankDevice>> devices;
  private final InstantSource clock;
  private final Executor threads;
  private final Pause pause;
  private final ThreadShare free = new ThreadShare(MOST_THREADS, KEPT_THREADS);
  private final ThreadShare freeForStacks = new ThreadShare(MOST_THREADS, KEPT_THREADS);
  private final Map<Key, Search> searches = new HashMap<>();

  /** Waits between two samples. */
  @FunctionalInterface
  interface Pause {
    void pause(Duration time) throws InterruptedException;
  }

  private record Key(String orderUid, String podUid, String container) {}

  private static final class Search {
    final CompletableFuture<Found> found = new CompletableFuture<>();
    final Instant asked;
    boolean begun;

    Search(Instant asked) {
      this.asked = asked;
    }

    Found now() {
      return found.getNow(NOTHING);
    }
  }

  private record Found(List<RankEvidence> ranks, int leftOut) {}

  private static final Found NOTHING = new Found(List.of(), 0);

  /**
   * Reads the processes of this node.
   *
   * @param proc the proc file system of the node
   * @param cgroups its cgroup file system
   * @param lines what the logs of its pods say
   * @param devices how busy the GPU of a process is, by its number on the node; does not wait
   */
  public GangEvidence(
      Path proc, Path cgroups, PodLines lines, LongFunction<Optional<RankDevice>> devices) {
    this(
        proc,
        cgroups,
        new MountedFiles(proc),
        new PythonStacks(proc)::of,
        lines,
        devices,
        SteadyClock.system(),
        task -> {
          var _ = Thread.ofPlatform().daemon().name("evidence").start(task);
        },
        Thread::sleep);
  }

  GangEvidence(
      Path proc,
      Path cgroups,
      ContainerFiles files,
      LongFunction<MainStack> stacks,
      PodLines lines,
      LongFunction<Optional<RankDevice>> devices,
      InstantSource steady,
      Executor threads,
      Pause pause) {
    this.processes = new RankProcesses(proc);
    this.use = new ProcessUse(proc);
    this.addresses = new LocalAddresses(proc);
    this.cgroups = cgroups;
    this.files = files;
    this.stacks = stacks;
    this.lines = lines;
    this.devices = devices;
    this.clock = steady;
    this.threads = threads;
    this.pause = pause;
  }

  @Override
  public Optional<List<RankEvidence>> of(String orderUid, TrainingPod pod) {
    var search = searches.computeIfAbsent(key(orderUid, pod), _ -> new Search(clock.instant()));
    if (isOver(search, pod)) {
      // What comes later is left: the gang is frozen by then.
      search.found.complete(NOTHING);
    }
    if (search.found.isDone()) {
      return Optional.of(search.now().ranks());
    }
    begin(search, pod);
    return Optional.empty();
  }

  private boolean isOver(Search search, TrainingPod pod) {
    var waited = Duration.between(search.asked, clock.instant());
    return search.begun
        ? waited.compareTo(RankEvidence.LIMIT) >= 0
        : !pod.container().running() || waited.compareTo(PATIENCE) >= 0;
  }

  @Override
  public List<RankEvidence> found(String orderUid, TrainingPod pod) {
    var search = searches.get(key(orderUid, pod));
    return search == null ? List.of() : search.now().ranks();
  }

  @Override
  public int leftOut(String orderUid, TrainingPod pod) {
    var search = searches.get(key(orderUid, pod));
    return search == null ? 0 : search.now().leftOut();
  }

  @Override
  public void retain(Set<String> orderUids) {
    searches.keySet().removeIf(key -> !orderUids.contains(key.orderUid()));
  }

  private static Key key(String orderUid, TrainingPod pod) {
    return new Key(orderUid, pod.uid(), pod.container().id());
  }

  private void begin(Search search, TrainingPod pod) {
    if (!search.begun && free.take(pod.namespace())) {
      search.begun = true;
      threads.execute(() -> run(pod, search.asked.plus(LOOKS), search.found));
    }
  }

  private void run(TrainingPod pod, Instant until, CompletableFuture<Found> found) {
    try {
      found.complete(inspect(pod, until));
    } catch (IOException | RuntimeException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.NAMESPACE.key(), pod.namespace())
          .addKeyValue(LogKey.POD.key(), pod.name())
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot inspect the ranks of a stalled pod");
      found.complete(NOTHING);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      found.complete(NOTHING);
    } finally {
      free.giveBack(pod.namespace());
    }
  }

  private Found inspect(TrainingPod pod, Instant until) throws IOException, InterruptedException {
    var container = pod.container().id();
    var there = processes.of(container).first(RankEvidence.MOST_RANKS);
    var ranks = there.ranks();
    if (ranks.isEmpty()) {
      return NOTHING;
    }
    var samples = PodActivity.begin(use, cgroups, container, ranks, clock);
    var threadsOfRanks = PodStacks.begin(stacks, ranks, threads, freeForStacks, pod.namespace());
    try {
      pause.pause(WINDOW);
    } finally {
      threadsOfRanks.end();
    }
    var activity = samples.end();
    var witnesses = ranks.stream().map(process -> RankWitness.ask(files, process)).toList();
    var open = witnesses;
    while (true) {
      open = open.stream().filter(witness -> !witness.poll()).toList();
      boolean all = open.isEmpty() && threadsOfRanks.isDone();
      if (all || !clock.instant().plus(PAUSE).isBefore(until)) {
        return new Found(
            evidence(pod, witnesses, activity, threadsOfRanks.found()), there.leftOut());
      }
      pause.pause(PAUSE);
    }
  }

  private List<RankEvidence> evidence(
      TrainingPod pod,
      List<RankWitness> witnesses,
      Map<Integer, RankActivity> activity,
      PodStacks.Found stacks) {
    var ranks = witnesses.stream().map(RankWitness::rank).collect(Collectors.toSet());
    return witnesses.stream()
        .map(
            witness ->
                witness
                    .evidence(
                        pod.name(),
                        pod.uid(),
                        lines.of(pod.uid(), witness.rank(), ranks),
                        activity.get(witness.rank()),
                        addresses.of(witness.pid()),
                        stacks.standing().getOrDefault(witness.rank(), List.of()),
                        stacks.compiling().contains(witness.rank()))
                    .withDevice(devices.apply(witness.pid()).orElse(null)))
        .toList();
  }
}
