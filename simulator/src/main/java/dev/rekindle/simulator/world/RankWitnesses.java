package dev.rekindle.simulator.world;

import dev.rekindle.api.RankCalls;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.restart.GangWitnesses;
import dev.rekindle.simulator.setup.JobSetup.Recorder;
import dev.rekindle.simulator.setup.JobSetup.Traces;
import dev.rekindle.simulator.world.RankProcess.State;
import dev.rekindle.simulator.world.TruthObserver.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an agent finds the ranks of its node doing, from what they do. Where not all ranks have a
 * flight recorder, some write no dump or half of one, and some of those that hang are stopped: by
 * job and pod, so that a seed plays the same again.
 */
final class RankWitnesses implements GangWitnesses {
  /** From the question to the dump. */
  private static final Duration DUMPS = Duration.ofSeconds(1);

  /** Steps that show how calls repeat. */
  private static final int ROUNDS = 3;

  private final World world;
  private final Machine machine;
  private final Map<String, Found> found = new HashMap<>();

  private record Found(String orderUid, List<RankEvidence> ranks, Instant at) {}

  RankWitnesses(World world, Machine machine) {
    this.world = world;
    this.machine = machine;
  }

  @Override
  public Optional<List<RankEvidence>> of(String orderUid, TrainingPod pod) {
    var search =
        found.computeIfAbsent(
            orderUid + "/" + pod.container().id(),
            _ -> new Found(orderUid, inspect(pod), world.now().plus(world.jitter(DUMPS))));
    return search.at().isAfter(world.now()) ? Optional.empty() : Optional.of(search.ranks());
  }

  @Override
  public List<RankEvidence> found(String orderUid, TrainingPod pod) {
    var search = found.get(orderUid + "/" + pod.container().id());
    return search == null ? List.of() : search.ranks();
  }

  @Override
  public void retain(Set<String> orderUids) {
    found.values().removeIf(search -> !orderUids.contains(search.orderUid()));
  }

  /** Whether a dump is waited for. */
  boolean waiting() {
    return found.values().stream().anyMatch(search -> search.at().isAfter(world.now()));
  }

  private List<RankEvidence> inspect(TrainingPod pod) {
    for (Gang gang : world.gangs().all()) {
      RankProcess process = gang.processes().find(pod.uid());
      if (process != null
          && process.machine.equals(machine)
          && process.containerId().equals(pod.container().id())) {
        return List.of(evidence(pod, gang, process));
      }
    }
    // Gone with its machine, say, before the kubelet says so: its peers wait for it all the same.
    world
        .pods()
        .find(pod.namespace() + "/" + pod.name())
        .filter(there -> there.meta().uid().equals(pod.uid()))
        .ifPresent(
            there ->
                world
                    .witness()
                    .looksAt(
                        there.job(), there.rank(), Standing.ON_HOST, false, lies(there.job())));
    return List.of();
  }

  private boolean lies(JobKey job) {
    return world.gangs().all().stream()
        .filter(gang -> gang.job().equals(job))
        .anyMatch(RankWitnesses::lies);
  }

  private static boolean lies(Gang gang) {
    return gang.traces() == Traces.FALSE;
  }

  private RankEvidence evidence(TrainingPod pod, Gang gang, RankProcess process) {
    int ranks = gang.ranks();
    Recorder recorder = gang.recorder();
    boolean stopped =
        process.stuckOnHost()
            && recorder != Recorder.ALL
            && Math.floorMod(pod.jobUid().hashCode(), 4) == 0;
    DumpState dump = dump(pod, process, recorder, stopped);
    world
        .witness()
        .looksAt(
            gang.job(),
            process.rank,
            process.stuck
                ? (process.onDevice ? Standing.ON_DEVICE : Standing.ON_HOST)
                : Standing.NOT,
            dump == DumpState.READ,
            lies(gang));
    long over = gang.training().step();
    long enqueued = process.stuckOnHost() ? over : over + 1;
    List<RankEvidence.Group> groups =
        dump == DumpState.READ
            ? List.of(
                new RankEvidence.Group(
                    "0",
                    "default_pg",
                    "0-" + (ranks - 1),
                    enqueued,
                    RankTraces.completed(gang, process),
                    false,
                    List.of(),
                    Duration.between(gang.training().lastStep(), world.now()).toMillis()))
            : List.of();
    return new RankEvidence(
        pod.name(),
        pod.uid(),
        process.rank,
        ranks,
        stopped ? ProcessState.STOPPED : ProcessState.RUNNING,
        dump,
        groups,
        RankTraces.lines(world.now(), pod, gang, process),
        RankTraces.activity(pod, gang, process),
        List.of(),
        RankTraces.stack(pod, gang, process),
        dump == DumpState.READ ? calls(gang) : null,
        null,
        RankTraces.device(pod, gang, process),
        List.of());
  }

  /** All ranks make the same calls in each step, and their dumps hold some steps. */
  private static @Nullable RankCalls calls(Gang gang) {
    return gang.training().step() < ROUNDS ? null : new RankCalls(1, 0, "", 0, "", "");
  }

  private static DumpState dump(
      TrainingPod pod, RankProcess process, Recorder recorder, boolean stopped) {
    // Before they have met there is no process group, and no recorder.
    if (process.state == State.STARTING || process.state == State.WAITING) {
      return DumpState.NONE;
    }
    if (recorder == Recorder.NONE) {
      return DumpState.NONE;
    }
    if (stopped) {
      return DumpState.MISSING;
    }
    if (recorder == Recorder.ALL) {
      return DumpState.READ;
    }
    return switch (Math.floorMod((pod.uid() + process.restarts).hashCode(), 16)) {
      case 0 -> DumpState.MISSING;
      case 1 -> DumpState.UNREADABLE;
      default -> DumpState.READ;
    };
  }
}
