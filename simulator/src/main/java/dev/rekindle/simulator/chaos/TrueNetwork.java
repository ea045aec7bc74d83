package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.simulator.setup.JobSetup.Lines;
import dev.rekindle.simulator.world.Gang;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.Optional;

/**
 * The network of a gang that counts as recovered. Whether a node has RDMA never changes here, so
 * the pods that the controller has seen decide it. A job that prints false lines is not checked: it
 * harms only itself.
 */
final class TrueNetwork extends Check {
  private static final String RDMA_RESTORED = "RdmaRestored";

  TrueNetwork(World world, Invariants all) {
    super(world, all, Invariant.TRUE_NETWORK);
  }

  @Override
  public void concludes(RecoveryView recovery, List<PodView> shown) {
    RecoveryObject before =
        world.recoveries().find(recovery.namespace() + "/" + recovery.name()).orElse(null);
    JobObject job = before == null ? null : jobOf(before).orElse(null);
    RecoveryStatus status = recovery.status();
    if (before == null
        || job == null
        || status == null
        || isOver(before.status())
        || status.comeBacks() != null
        || job.setup().lines() == Lines.FORGED) {
      return;
    }
    List<String> onTcp = onTcp(job, shown);
    Lines lines = job.setup().lines();
    if (job.setup().requiresRdma() && (!onTcp.isEmpty() || lines == Lines.NONE)) {
      broken(
          job.key(),
          "recovery %s of a job that requires RDMA says Recovered; on TCP: %s, lines: %s"
              .formatted(recovery.name(), onTcp, lines));
    }
    Optional<Condition> says =
        status.conditions().stream().filter(c -> RDMA_RESTORED.equals(c.getType())).findFirst();
    says.filter(c -> !isSo(c.getStatus(), onTcp, lines))
        .ifPresent(
            c ->
                broken(
                    job.key(),
                    "recovery %s says RdmaRestored %s (%s); on TCP: %s, lines: %s"
                        .formatted(recovery.name(), c.getStatus(), c.getMessage(), onTcp, lines)));
  }

  private List<String> onTcp(JobObject job, List<PodView> shown) {
    return shown.stream()
        .filter(pod -> pod.jobUid().equals(job.meta().uid()))
        .map(PodView::node)
        .filter(node -> !node.isEmpty() && !world.machine(node).rdma())
        .sorted()
        .toList();
  }

  /** Lines may be missing at any time: what is not known is never untrue. */
  private static boolean isSo(String status, List<String> onTcp, Lines lines) {
    return switch (status) {
      case "True" -> onTcp.isEmpty() && lines != Lines.NONE;
      case "False" -> !onTcp.isEmpty();
      default -> true;
    };
  }

  /** Whether a gang of that job, on those nodes, may be held for its network. */
  static boolean maySayNo(World world, JobObject job) {
    Lines lines = job.setup().lines();
    return job.setup().requiresRdma()
        && (lines == Lines.NONE
            || lines == Lines.MOST
            || isUnread(world, job)
            || isSilent(world, job)
            || (lines == Lines.TRUE
                && world.podsOf(job).stream()
                    .anyMatch(pod -> !pod.node().isEmpty() && !world.machine(pod.node()).rdma())));
  }

  /** Whether NCCL has printed nothing yet, as its ranks have not met (seed 93403691). */
  private static boolean isSilent(World world, JobObject job) {
    Gang gang = world.gang(job.meta().uid());
    return world.podsOf(job).stream()
        .noneMatch(pod -> gang.processes().hasTrained(pod.meta().uid()));
  }

  /** Whether an agent that would read the lines of a rank is away (seed 93010182). */
  private static boolean isUnread(World world, JobObject job) {
    return world.podsOf(job).stream()
        .anyMatch(pod -> !pod.node().isEmpty() && !world.nodeAgents().lives(pod.node()));
  }
}
