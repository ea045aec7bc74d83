package dev.rekindle.simulator.drill;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.setup.NodeSetup;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.setup.Timing;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** The cluster and the job of every drill. */
final class DrillSetup {
  static final JobKey JOB = new JobKey("default", "llm");
  static final int LEAVES = 8;
  static final int NODES_PER_LEAF = 4;
  static final int NODES = LEAVES * NODES_PER_LEAF;
  static final int GPUS = 8;
  static final int RANKS = 24;
  static final int CONTROLLERS = 2;
  static final int CHECKPOINT_EVERY = 50;

  /** The label that names the leaf switch of a node. */
  static final String LEAF = "topology.rekindle.dev/leaf";

  /** A whole leaf must be allowed to be fenced, and a bit more. */
  static final int MAX_FENCED = 8;

  private static final Duration STEP = Duration.ofSeconds(1);
  private static final Duration CHECKPOINT_WRITE = Duration.ofSeconds(2);
  private static final long FAR_AWAY = 1_000_000;
  private static final int GRACE_SECONDS = 30;

  private DrillSetup() {}

  /** The cluster of a scenario, with as many controllers as wanted. */
  static Setup setup(Scenario scenario, long seed, int controllers) {
    return new Setup(seed, nodes(), List.of(job(scenario)), policy(), Timing.DEFAULT, controllers);
  }

  private static List<NodeSetup> nodes() {
    return IntStream.range(0, NODES)
        .mapToObj(i -> new NodeSetup("node-%02d".formatted(i), "leaf-" + i / NODES_PER_LEAF, GPUS))
        .toList();
  }

  private static JobSetup job(Scenario scenario) {
    return JobSetup.of(JOB, RANKS, GPUS, new OptIn.Yes(Mode.AUTO))
        .with(
            b ->
                b.restart(scenario.restart())
                    .step(STEP)
                    .checkpointEvery(CHECKPOINT_EVERY)
                    .checkpointWrite(CHECKPOINT_WRITE)
                    .steps(FAR_AWAY)
                    .graceSeconds(GRACE_SECONDS)
                    .way(scenario.way()));
  }

  private static Policy policy() {
    return Policy.DEFAULT.with(b -> b.maxFencedNodes(MAX_FENCED).topologyKeys(List.of(LEAF)));
  }
}
