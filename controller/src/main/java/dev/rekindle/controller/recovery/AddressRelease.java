package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.network.Nic;
import dev.rekindle.controller.network.PoolView;
import dev.rekindle.controller.network.RequestedNetworks;
import dev.rekindle.controller.recovery.Decision.Note;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Addresses of pods that are removed by force. Spiderpool identifies a pod by its name until its
 * scan compares UIDs, every ten minutes by default: where a pod comes back under its name before
 * the address of the one before is free, the address stays booked until then, and in a pool without
 * a spare one the new pod waits for it. So a pod of a node that does not answer is deleted with a
 * grace period of a second, by which Spiderpool frees its addresses within seconds, and removed by
 * force once no pool has its UID any more.
 *
 * @see <a href="https://github.com/spidernet-io/spiderpool/issues/3699">spiderpool#3699</a>
 */
final class AddressRelease {
  /** With that Spiderpool's trace frees an address after 3 s (measured); longer ones take twice. */
  static final Duration GRACE = Duration.ofSeconds(1);

  /** Of a controller of Spiderpool that is away nothing is to be expected. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private AddressRelease() {}

  /** Pools without a spare address that have one of the pod: whether it has to be waited for. */
  static List<String> blocking(RecoverySnapshot s, JobView job, PodView pod) {
    return holding(s, pod).stream()
        .filter(pool -> !isSpare(job, pool))
        .map(PoolView::name)
        .sorted()
        .toList();
  }

  private static List<PoolView> holding(RecoverySnapshot s, PodView pod) {
    return s.networks().pools().stream().filter(p -> p.holds(pod.uid())).toList();
  }

  /** Whether the whole gang finds addresses in the pool beside those that are booked now. */
  private static boolean isSpare(JobView job, PoolView pool) {
    return pool.free(List.of()).orElse(Long.MAX_VALUE) >= job.gangSize();
  }

  /**
   * Whether the deletion of a pod is to be repeated with a shorter grace period. A Node that was
   * deleted is no matter of it: of its pods Spiderpool frees nothing before they are gone.
   */
  static boolean wantsShorterGrace(RecoverySnapshot s, JobView job, PodView pod) {
    Long given = pod.deletionGraceSeconds();
    return (!pod.terminating() || (given != null && given > GRACE.toSeconds()))
        && s.nodes().containsKey(pod.node())
        && !blocking(s, job, pod).isEmpty();
  }

  /** Whether the pod may be removed by force now. */
  static boolean mayForce(RecoverySnapshot s, JobView job, PodView pod, Instant now) {
    return !s.nodes().containsKey(pod.node())
        || blocking(s, job, pod).isEmpty()
        || isOverdue(s, pod, now);
  }

  /** By the clock of the wall, which may step, and by the time in the phase as well. */
  private static boolean isOverdue(RecoverySnapshot s, PodView pod, Instant now) {
    Instant deadline = pod.deletionDeadline();
    return deadline != null
        && !now.isBefore(deadline.plus(PATIENCE))
        && Transitions.inPhase(s, now).compareTo(PATIENCE) >= 0;
  }

  /** Says once that it was waited for in vain. */
  static Optional<Decision> inVain(
      RecoverySnapshot s, JobView job, List<PodView> pods, Instant now) {
    return pods.stream()
        .filter(p -> p.terminating() && s.nodes().containsKey(p.node()) && isOverdue(s, p, now))
        .map(p -> describe(s, job, p))
        .filter(text -> !text.isEmpty())
        .sorted()
        .findFirst()
        .map(text -> text + " after %d s; removed all the same".formatted(PATIENCE.toSeconds()))
        .filter(text -> status(s).timeline().stream().noneMatch(e -> text.equals(e.detail())))
        .map(
            text ->
                new Decision.Move(
                    RecoveryStatusBuilder.withDetail(status(s), text, now),
                    List.of(new Note(Reason.ADDRESS_NOT_RELEASED, text, ""))));
  }

  /** What is waited for, of the first pod that has to be; empty for nothing. */
  static String waitingFor(RecoverySnapshot s, JobView job, List<PodView> pods) {
    return pods.stream()
        .filter(p -> p.terminating() && s.nodes().containsKey(p.node()))
        .map(p -> describe(s, job, p))
        .filter(text -> !text.isEmpty())
        .sorted()
        .findFirst()
        .orElse("");
  }

  /**
   * A replacement that stands on its node and finds no address there: kubelets try again and again,
   * and say so in events alone. A list of pools that is behind proves nothing: only full pools
   * count.
   */
  static Optional<String> unaddressed(RecoverySnapshot s, JobView job) {
    return s.pods().stream()
        .filter(p -> !p.node().isEmpty() && p.phase() == PodView.Phase.PENDING)
        .filter(p -> !p.terminating())
        .flatMap(p -> unaddressed(s, job, p).stream())
        .sorted()
        .findFirst();
  }

  private static Optional<String> unaddressed(RecoverySnapshot s, JobView job, PodView pod) {
    NodeView node = s.nodes().get(pod.node());
    Replica replica =
        job.replicas().stream()
            .filter(r -> r.type().equalsIgnoreCase(pod.role()))
            .findFirst()
            .orElse(null);
    if (node == null || replica == null || !s.networks().installed()) {
      return Optional.empty();
    }
    var asked =
        RequestedNetworks.of(job.key().namespace(), replica.needs().networks(), s.networks());
    for (Nic nic : asked.nics()) {
      for (Nic.Family family : nic.families()) {
        List<PoolView> pools =
            s.networks().pools().stream()
                .filter(p -> family.pools().contains(p.name()))
                .filter(p -> p.fitsNode(node.name(), node.labels()))
                .toList();
        boolean full =
            pools.stream().allMatch(p -> p.free(List.of()).orElse(1) == 0 && !p.holds(pod.uid()));
        if (full) {
          return Optional.of(
              "the replacement %s on %s finds no address for %s in pool %s"
                  .formatted(
                      pod.name(),
                      pod.node(),
                      nic.title(),
                      String.join(", ", family.wanted().stream().limit(3).toList())));
        }
      }
    }
    return Optional.empty();
  }

  /** The same of one pod. */
  static String describe(RecoverySnapshot s, JobView job, PodView pod) {
    List<String> pools = blocking(s, job, pod);
    return pools.isEmpty()
        ? ""
        : "pool %s has no spare address and still one of pod %s (uid %s)"
            .formatted(String.join(", ", pools), pod.name(), pod.uid());
  }
}
