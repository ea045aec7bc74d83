package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.process.Reconcilers;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.setup.JobSetup.Lines;
import dev.rekindle.simulator.setup.NodeSetup;
import dev.rekindle.simulator.setup.Setup;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A job on node-0 to node-2. The nearest spare node, node-3, has no RDMA, and no object says so.
 */
class SimulatedRdmaTest {
  private final List<SimulatedJob> runs = new ArrayList<>();

  @AfterEach
  void close() {
    runs.forEach(SimulatedJob::close);
  }

  private static JobSetup job(Lines lines, boolean required) {
    return Given.job().setup().withLines(lines).withRequiresRdma(required);
  }

  /** A GPU of node-1 is lost once the job trains. */
  private SimulatedJob broken(int nodes, JobSetup job) {
    Setup plain = Given.cluster(nodes, Policy.DEFAULT, 2, job);
    Setup setup =
        new Setup(
            plain.seed(),
            plain.nodes().stream()
                .map(n -> new NodeSetup(n.name(), n.leaf(), n.gpus(), !n.name().equals("node-3")))
                .toList(),
            plain.jobs(),
            plain.policy(),
            plain.timing(),
            plain.controllers());
    SimulatedJob run = new SimulatedJob(setup, new Random(0), 0, Reconcilers.REAL);
    runs.add(run);
    run.runFor(Duration.ofSeconds(40));
    run.stateFault("node-1");
    return run;
  }

  private static String network(RecoveryStatus status) {
    return status.conditions().stream()
        .filter(c -> c.getType().equals("RdmaRestored"))
        .map(Condition::getReason)
        .findFirst()
        .orElse("");
  }

  private static boolean held(SimulatedJob run) {
    return !run.recoveries().isEmpty() && run.phase() == RecoveryPhase.HELD;
  }

  private static List<String> nodes(SimulatedJob run) {
    return run.pods().stream().map(PodView::node).sorted().toList();
  }

  @Test
  void shouldBeRestartedElsewhereWhereItsReplacementCameBackOnTcp() {
    SimulatedJob run = broken(5, job(Lines.TRUE, true));
    run.untilOver();

    RecoveryStatus status = run.only();
    assertThat(status.phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(status.attempt()).isEqualTo(2);
    assertThat(status.resumes())
        .singleElement()
        .satisfies(attempt -> assertThat(attempt.withoutRdma()).containsExactly("node-3"));
    assertThat(network(status)).isEqualTo("OnRdma");
    assertThat(nodes(run)).contains("node-4").doesNotContain("node-3");
  }

  @Test
  void shouldTrainOnHeldWhereThereIsNoOtherNodeUntilItRequiresRdmaNoMore() {
    SimulatedJob run = broken(4, job(Lines.TRUE, true));
    run.until(() -> held(run));
    run.runFor(Duration.ofMinutes(30));

    assertThat(run.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(run.only().timeline().getLast().detail())
        .startsWith("RdmaNotRestored: NCCL of rank ")
        .contains("node-3", "no other place");
    assertThat(run.only().attempt()).isEqualTo(1);
    assertThat(run.suspended()).isFalse();
    assertThat(nodes(run)).contains("node-3");

    run.world()
        .jobs()
        .patch(Given.KEY.toString(), j -> j.withSetup(j.setup().withRequiresRdma(false)));
    run.untilOver();
    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(network(run.only())).isEqualTo("NcclSocketFallback");
  }

  @Test
  void shouldRecoverOnTcpAndSaySoWhereRdmaIsNotRequired() {
    SimulatedJob run = broken(5, job(Lines.TRUE, false));
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(run.only().attempt()).isEqualTo(1);
    assertThat(network(run.only())).isEqualTo("NcclSocketFallback");
  }

  @Test
  void shouldBeHeldAndNotRestartedWhereItsLogsSayNothing() {
    SimulatedJob run = broken(5, job(Lines.NONE, true));
    run.until(() -> held(run));
    run.runFor(Duration.ofMinutes(30));

    assertThat(run.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(run.only().attempt()).isEqualTo(1);
    assertThat(run.only().timeline().getLast().detail()).contains("NCCL_DEBUG=INFO");
    assertThat(network(run.only())).isEqualTo("NcclDebugOff");
  }
}
