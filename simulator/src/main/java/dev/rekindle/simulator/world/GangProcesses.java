package dev.rekindle.simulator.world;

import dev.rekindle.simulator.world.RankProcess.State;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The processes of one gang, of all its generations. */
public final class GangProcesses {
  private final Map<String, RankProcess> byPodUid = new HashMap<>();

  GangProcesses() {}

  void add(RankProcess process) {
    byPodUid.put(process.podUid, process);
  }

  void remove(RankProcess process) {
    byPodUid.remove(process.podUid, process);
  }

  @Nullable RankProcess find(String podUid) {
    return byPodUid.get(podUid);
  }

  /** All of them, as they are now. */
  Collection<RankProcess> all() {
    return List.copyOf(byPodUid.values());
  }

  Stream<RankProcess> ofRank(int rank) {
    return all().stream().filter(p -> p.rank == rank);
  }

  /** The first that is so. */
  @Nullable RankProcess first(Predicate<RankProcess> condition) {
    for (RankProcess p : byPodUid.values()) {
      if (condition.test(p)) {
        return p;
      }
    }
    return null;
  }

  /**
   * Generations of processes that compute or are about to. Some find their peers gone and count
   * only where they make steps: a process that outlives its pod object for some seconds, because
   * its machine was silent when the object was removed by force or had just resumed; one that was
   * thawed because its agent received nothing more; one that a kubelet started while the gang was
   * frozen. A gang with a disowned process may train on, unknown to all.
   *
   * @param moving whether the gang makes steps
   */
  Map<String, Integer> running(boolean moving, Instant now) {
    Map<String, Integer> generations = new HashMap<>();
    boolean known = first(p -> p.disowned && p.state == State.TRAINING) == null;
    for (RankProcess p : byPodUid.values()) {
      boolean steps = p.state == State.TRAINING && moving && known;
      boolean gone =
          p.orphanedUnheard
              || (p.orphaned
                  && (p.state == State.BLOCKED
                      || p.state == State.TRAINING
                      || p.machine.justWoken(now)));
      boolean wanted = p.machine.connected && !gone && !p.thawed && !p.early;
      if (p.runs() && (wanted || steps)) {
        generations.merge(p.generation, 1, Integer::sum);
      }
    }
    return generations;
  }

  private List<String> pods(Predicate<RankProcess> condition) {
    return byPodUid.values().stream().filter(condition).map(p -> p.podKey).sorted().toList();
  }

  /** Pods whose process is frozen. */
  public List<String> frozen() {
    return pods(p -> p.frozen);
  }

  /**
   * Those of them whose machine runs: on one that hangs there is no agent that could thaw them.
   *
   * @param connected those whose agent receives orders, or those whose agent must wait until theirs
   *     runs out
   */
  public List<String> thawable(boolean connected) {
    return pods(p -> p.frozen && p.machine.runs() && p.machine.connected == connected);
  }

  /** Pods whose process executes, is wanted, and belongs to another generation than the given. */
  public List<String> unfrozen(String generation) {
    return unfrozen(generation, _ -> true);
  }

  /**
   * Some of them.
   *
   * @param uids UIDs of the pods that count
   */
  public List<String> unfrozen(String generation, Predicate<String> uids) {
    return pods(
        p ->
            uids.test(p.podUid)
                && p.runs()
                && p.machine.connected
                && !p.orphaned
                && !p.thawed
                && !p.early
                && !p.generation.equals(generation));
  }

  /** Pods whose process is of another generation than the given, whatever it does. */
  public List<String> others(String generation) {
    return pods(p -> !p.orphaned && !p.early && !p.generation.equals(generation));
  }

  /**
   * Whether an old leader still has a process that serves a store.
   *
   * @param uids UIDs of the pods that count
   */
  public boolean oldLeader(String generation, Predicate<String> uids) {
    return byPodUid.values().stream()
        .anyMatch(
            p ->
                p.rank == 0
                    && uids.test(p.podUid)
                    && !p.orphaned
                    && !p.early
                    && !p.thawed
                    && !p.generation.equals(generation));
  }

  /** Whether the process that runs in a pod has made a step. */
  public boolean hasTrained(String podUid) {
    RankProcess process = find(podUid);
    return process != null && process.firstStep >= 0;
  }

  /** Whether the process of the pod trains, and what it prints goes unread. */
  public boolean isUnread(String podUid) {
    RankProcess process = find(podUid);
    return process != null && process.read != null;
  }

  /** The same, or whether it went unread until less than that before. */
  public boolean isUnread(String podUid, Instant since) {
    RankProcess process = find(podUid);
    return isUnread(podUid)
        || (process != null && process.readAgain != null && process.readAgain.isAfter(since));
  }

  /** Whether a process has requested a restart that it has not got. */
  public boolean asksForRestart() {
    return byPodUid.values().stream().anyMatch(p -> p.asked != null);
  }
}
