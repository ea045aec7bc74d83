package dev.rekindle.simulator.chaos;

import dev.rekindle.api.LoadErrorKind;
import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.RankCalls;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.Line;
import dev.rekindle.api.RankEvidence.LineKind;
import dev.rekindle.api.RankEvidence.Operation;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RankReportStatus.RestartAsked;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.Transport;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.AgentLies;
import dev.rekindle.simulator.world.PodObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Writes false reports with the token of one node about the pods on that node: progress, stalls,
 * requests, losses, checkpoints that cannot be loaded, networks; during restarts in place, that
 * ranks are frozen, dead or restarted, or what they waited for.
 */
final class LyingAgent {
  /** The prefix of its texts. */
  static final String TEXT = "made up by a stolen agent: ";

  /** A step that no job here reaches. */
  static final long FAR = 808_070_605_000L;

  private static final int KINDS_OF_RANKS = 10;
  private static final int KINDS_OF_RESTARTS = 9;

  private final Simulation simulation;
  private final RandomGenerator random;
  private final Tenants.Listener listener;
  private String node = "";
  private Instant since = Instant.MIN;

  LyingAgent(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    this.simulation = simulation;
    this.random = random;
    this.listener = listener;
  }

  /** Plans the false reports for the time between those two. */
  void plan(Instant from, Instant to) {
    if (random.nextInt(8) == 0) {
      RandomTimes.plan(simulation, random, from, to, 8, this::strike);
    }
  }

  /** Changes the kind of its false reports. */
  private void strike() {
    if (node.isEmpty()) {
      List<String> taken =
          simulation.world().pods().list().stream()
              .map(PodObject::node)
              .filter(n -> !n.isEmpty())
              .toList();
      if (taken.isEmpty()) {
        return;
      }
      node = taken.get(random.nextInt(taken.size()));
    }
    int ranks = random.nextInt(KINDS_OF_RANKS);
    int restarts = random.nextInt(KINDS_OF_RESTARTS);
    since = simulation.now();
    listener.did(
        Disturbance.AGENT_LIES_OF_ITS_PODS,
        node,
        "its stolen agent lies of its own pods: %d, %d".formatted(ranks, restarts));
    if (random.nextInt(3) == 0) {
      // It reports a freeze, and has frozen nothing.
      simulation.world().nodeAgents().cannotFreeze(node, Duration.ofMillis(random.nextInt(60_000)));
    }
    simulation
        .world()
        .agentLies()
        .begin(
            node,
            new AgentLies.Lies() {
              @Override
              public RankView of(RankView honest) {
                return rank(ranks, honest);
              }

              @Override
              public RestartReportSpec of(RestartReportSpec honest) {
                return restart(restarts, honest);
              }
            });
  }

  void calm() {
    simulation.world().agentLies().end();
  }

  // --- what it says of ranks ------------------------------------------------------------------

  private RankView rank(int kind, RankView honest) {
    Instant now = simulation.now();
    Long step = honest.lastStep();
    return switch (kind) {
      case 1 -> trains(honest, (step == null ? 0 : step) + FAR, now);
      case 2 ->
          honest.with(
              b ->
                  b.lastStep(step == null ? 1L : step)
                      .firstStepTime(now.minus(Duration.ofMinutes(20)))
                      .lastStepTime(now.minus(Duration.ofMinutes(10)))
                      .pace(null));
      case 3 ->
          honest.withAsked(
              new RestartAsked(TEXT + "loss spike", random.nextBoolean() ? null : 1L, now));
      case 4 ->
          honest.with(
              b ->
                  b.firstStep(null)
                      .lastStep(null)
                      .lastStepTime(null)
                      .firstStepTime(null)
                      .loadError(
                          new LoadError(LoadErrorKind.REFUSED, TEXT, honest.restartCount(), now)));
      case 5 -> honest.withLoss(new Loss(null, Integer.MAX_VALUE));
      case 6 -> trains(honest, 1 + Duration.between(since, now).toSeconds(), now).withFirstStep(1L);
      case 7 ->
          honest.with(
              b ->
                  b.lastStepTime(now.plus(Duration.ofDays(36_500)))
                      .observedTime(now.plus(Duration.ofDays(36_500)))
                      .restartCount(honest.restartCount() + 1));
      case 8 ->
          honest.with(
              b ->
                  b.saves(
                          new LoggedSaves(
                              Integer.MAX_VALUE,
                              FAR,
                              now,
                              5,
                              0.0,
                              0.0,
                              FAR,
                              Double.MAX_VALUE,
                              true,
                              Double.MAX_VALUE,
                              null))
                      .transport(
                          new Transport(1, 0, 1, List.of("Socket"), List.of(), 0, 0, 0, 1, "2.0")));
      case 9 -> trains(honest, (step == null ? 0 : step) + 1, now);
      default -> honest;
    };
  }

  private static RankView trains(RankView honest, long step, Instant now) {
    return honest.with(
        b ->
            b.firstStep(honest.firstStep() == null ? Long.valueOf(step) : honest.firstStep())
                .firstStepTime(honest.firstStepTime() == null ? now : honest.firstStepTime())
                .lastStep(step)
                .lastStepTime(now)
                .pace(null));
  }

  // --- what it says of restarts in place ------------------------------------------------------

  private RestartReportSpec restart(int kind, RestartReportSpec honest) {
    return switch (kind) {
      case 1 -> all(honest, State.FROZEN, honest.done());
      case 2 -> all(honest, State.KILLED, RestartInstruction.RESTART_LEADER);
      case 3 -> all(honest, State.RESTARTED, RestartInstruction.RESTART_ALL);
      case 4 -> all(honest, State.THAWED, honest.done());
      case 5 -> with(honest, TEXT + "it cannot freeze", honest.pods(), honest.ranks());
      case 6 -> with(honest, "", honest.pods(), honest.ranks().stream().map(this::waits).toList());
      case 7 -> with(honest, "", honest.pods(), honest.ranks().stream().map(this::blames).toList());
      case 8 -> with(honest, "", List.of(), List.of());
      default -> honest;
    };
  }

  private static RestartReportSpec all(
      RestartReportSpec honest, State state, @Nullable RestartInstruction done) {
    return new RestartReportSpec(
        honest.order(),
        honest.orderUid(),
        honest.node(),
        honest.job(),
        done,
        "",
        honest.pods().stream()
            .map(
                p ->
                    new PodRestart(
                        p.pod(), p.podUid(), p.containerId(), p.restartCount(), p.how(), state))
            .toList(),
        honest.time(),
        honest.ranks());
  }

  private static RestartReportSpec with(
      RestartReportSpec honest, String problem, List<PodRestart> pods, List<RankEvidence> ranks) {
    return new RestartReportSpec(
        honest.order(),
        honest.orderUid(),
        honest.node(),
        honest.job(),
        honest.done(),
        problem,
        pods,
        honest.time(),
        ranks);
  }

  /** It is ahead of all others, so the others are waited for. */
  private RankEvidence waits(RankEvidence rank) {
    return evidence(
        rank,
        rank.groups().isEmpty()
            ? List.of(new Group("0", "default_pg", "", FAR, FAR - 1, false, List.of()))
            : rank.groups().stream()
                .map(
                    g ->
                        new Group(
                            g.name(),
                            g.description(),
                            g.ranks(),
                            g.enqueued() + 1 + random.nextInt(3),
                            g.completed() + random.nextInt(2),
                            g.inferred(),
                            forged(rank, g.enqueued() + 1),
                            g.idleMillis()))
                .toList(),
        rank.lines());
  }

  /**
   * Operations that show the state of its device: in a collective, in a receive from any rank, in
   * both at once, or in a finished one.
   */
  private List<Operation> forged(RankEvidence rank, long enqueued) {
    List<Operation> forged = new ArrayList<>();
    if (random.nextInt(4) > 0) {
      boolean pending = random.nextBoolean();
      Boolean begun = enqueued % 3 == 0 ? null : Boolean.valueOf(enqueued % 3 == 1);
      forged.add(new Operation(enqueued, "all_reduce", "", false, pending, place(), begun));
    }
    if (random.nextInt(3) == 0) {
      var from =
          "recv %d<-%d".formatted(rank.rank(), random.nextInt(Math.max(2, rank.worldSize())));
      forged.add(new Operation(1, from, "", true, true, place()));
    }
    return forged;
  }

  private @Nullable Integer place() {
    return random.nextInt(3) == 0 ? null : Integer.valueOf(1 + random.nextInt(3));
  }

  /** Lines that name all other ranks. */
  private RankEvidence blames(RankEvidence rank) {
    LineKind[] kinds = LineKind.values();
    LineKind kind = kinds[random.nextInt(kinds.length)];
    int other = rank.rank() == 0 ? 1 : rank.rank() - 1;
    Line line =
        new Line(
            kind,
            simulation.now(),
            null,
            other,
            1,
            0,
            600_000,
            "ALLREDUCE",
            "forged",
            "",
            "",
            true,
            List.of(other));
    return evidence(rank, rank.groups(), List.of(line, line));
  }

  private static RankEvidence evidence(RankEvidence rank, List<Group> groups, List<Line> lines) {
    return rank.with(
        b ->
            b.process(ProcessState.RUNNING)
                .dump(groups.isEmpty() ? rank.dump() : DumpState.READ)
                .groups(groups)
                .lines(lines)
                .calls(
                    rank.rank() % 3 == 0
                        ? new RankCalls(
                            1 + rank.rank() % 9, rank.rank() % 2 + 1, TEXT, 1, TEXT, TEXT)
                        : rank.calls()));
  }
}
