package dev.rekindle.page;

import dev.rekindle.api.FormerNetwork;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.StallFinding.NamedRank;
import dev.rekindle.detect.policy.RecoveryLoss;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** Lists of facts: plan, checkpoint, outcome, cost. What is not known is left out or said. */
final class Sections {
  /** So many names are listed; the rest is a number. */
  private static final int NAMES = 8;

  private Sections() {}

  static List<Fact> cause(Incident incident) {
    List<Fact> facts = new ArrayList<>();
    Cause cause = incident.status().cause();
    if (cause == null) {
      return facts;
    }
    names(facts, "Nodes at fault", cause.faultyNodes());
    names(facts, "Nodes that do not answer", cause.silentNodes());
    names(facts, "Pods that showed it", cause.suspectPods());
    facts.add(
        new Fact(
            "Newest step before",
            cause.lastStep() == null
                ? "not known: no rank printed a step that was recognised"
                : cause.lastStep().toString()));
    StallFinding stall = cause.stall();
    if (stall != null) {
      facts.add(
          new Fact(
              "What it waited for",
              stall.stallClass()
                  + ", confidence "
                  + stall.confidence()
                  + ", of "
                  + stall.ranks()
                  + " ranks"));
      for (NamedRank rank : stall.culprits()) {
        facts.add(
            new Fact(
                "Rank " + rank.rank(),
                String.join(", ", nonEmpty(rank.pod(), rank.node(), rank.reason()))));
      }
      stall.evidence().forEach(line -> facts.add(new Fact("Seen in the ranks", line)));
    }
    return facts;
  }

  static List<Fact> plan(Incident incident) {
    List<Fact> facts = new ArrayList<>();
    Plan plan = incident.status().plan();
    if (plan == null) {
      return facts;
    }
    if (plan.restart() != null) {
      facts.add(
          new Fact("Restart", plan.restart() == RestartWay.IN_PLACE ? "in place" : "rebuild"));
    }
    if (!plan.restartReason().isEmpty()) {
      facts.add(new Fact("Why so", plan.restartReason()));
    }
    names(facts, "Kept off", plan.excludedNodes());
    names(facts, "Avoided where there is other room", plan.avoidedNodes());
    List<String> kept =
        plan.keptNodes().stream().filter(n -> !plan.excludedNodes().contains(n)).toList();
    names(facts, "Nodes kept", kept);
    if (plan.gangSize() != null) {
      facts.add(new Fact("Pods of the gang", plan.gangSize().toString()));
    }
    return facts;
  }

  static List<Fact> checkpoint(Incident incident) {
    List<Fact> facts = new ArrayList<>();
    Plan plan = incident.status().plan();
    PinnedCheckpoint pinned = plan == null ? null : plan.checkpoint();
    if (pinned == null) {
      return facts;
    }
    switch (pinned.verdict()) {
      case VALID -> {
        facts.add(new Fact("Chosen", pinned.path()));
        if (pinned.step() != null) {
          facts.add(new Fact("Its step", pinned.step().toString()));
        }
        facts.add(new Fact("Checked to level", pinned.level()));
      }
      case UNKNOWN -> facts.add(new Fact("Chosen", "by the script: nothing could be judged"));
      case NONE -> facts.add(new Fact("Chosen", "none is usable: training starts over"));
    }
    if (!pinned.message().isEmpty()) {
      facts.add(new Fact("Why, and passed over", pinned.message()));
    }
    if (pinned.rollBack() != null) {
      facts.add(
          new Fact(
              "Given up on purpose",
              "steps " + pinned.rollBack().to() + " to " + pinned.rollBack().from()));
    }
    return facts;
  }

  static List<Fact> outcome(Incident incident) {
    List<Fact> facts = new ArrayList<>();
    RecoveryStatus status = incident.status();
    Outcome outcome = status.outcome();
    if (outcome == null) {
      return facts;
    }
    if (outcome.resumedStep() != null) {
      facts.add(new Fact("Resumed from step", outcome.resumedStep().toString()));
    }
    if (outcome.firstStepAfter() != null) {
      facts.add(new Fact("First step after", outcome.firstStepAfter().toString()));
    } else if (status.phase() == RecoveryPhase.RECOVERED) {
      facts.add(new Fact("First step after", "not seen: the pods stay Ready, which is less proof"));
    }
    if (outcome.downtimeSeconds() != null) {
      facts.add(new Fact("Down, from detection on", Figures.time(outcome.downtimeSeconds())));
    }
    if (status.attempt() > 0) {
      facts.add(new Fact("Restarts tried", Integer.toString(status.attempt())));
    }
    return facts;
  }

  /** What the gang was on before, and what it is on now. */
  static List<Fact> network(Incident incident) {
    List<Fact> facts = new ArrayList<>();
    RecoveryStatus status = incident.status();
    FormerRun run = status.cause() == null ? null : status.cause().before();
    FormerNetwork before = run == null ? null : run.network();
    Optional<Condition> now = Incident.network(status);
    if (now.isPresent()) {
      String message = Objects.requireNonNullElse(now.get().getMessage(), "");
      facts.add(new Fact("RDMA restored", now.get().getStatus() + ": " + message));
      if (before != null && before.onRdma()) {
        facts.add(
            new Fact(
                "Before",
                "on RDMA, %d devices%s"
                    .formatted(before.fewestDevices(), before.direct() ? ", GPUDirect" : "")));
      }
    }
    if (before != null && before.secondsPerStep() != null) {
      facts.add(new Fact("A step took, before", Figures.time(before.secondsPerStep())));
    }
    return facts;
  }

  static List<Fact> cost(Incident incident) {
    List<Fact> facts = new ArrayList<>();
    Outcome outcome = incident.status().outcome();
    if (outcome != null) {
      if (outcome.lostGpuSeconds() != null) {
        facts.add(new Fact("GPUs idle", Figures.gpuTime(outcome.lostGpuSeconds())));
      }
      if (outcome.lostSteps() != null) {
        facts.add(new Fact("Steps trained twice", outcome.lostSteps().toString()));
      }
    }
    lost(facts, incident);
    return facts;
  }

  private static void lost(List<Fact> facts, Incident incident) {
    RecoveryLoss loss = RecoveryLoss.of(incident.status());
    if (loss.gpuSeconds() == null) {
      return;
    }
    String times = loss.times() > 1 ? ", %d times together".formatted(loss.times()) : "";
    facts.add(new Fact("Lost in all", Figures.gpuTime(loss.gpuSeconds()) + times));
    Pricing pricing = incident.pricing();
    OptionalDouble amount = pricing.of(loss);
    if (amount.isPresent()) {
      facts.add(new Fact("Price", Figures.money(amount.getAsDouble(), pricing.currency())));
    } else if (pricing.any()) {
      facts.add(new Fact("Price", "not known: GPUs of this model have none"));
    }
  }

  /** What a person has said. */
  static List<Fact> approval(Incident incident) {
    return Approvals.text(incident.status()).map(said -> new Fact("By a person", said)).stream()
        .toList();
  }

  private static void names(List<Fact> facts, String label, List<String> names) {
    if (!names.isEmpty()) {
      String more = names.size() > NAMES ? " and " + (names.size() - NAMES) + " more" : "";
      facts.add(new Fact(label, String.join(", ", names.stream().limit(NAMES).toList()) + more));
    }
  }

  private static List<String> nonEmpty(String... texts) {
    return Stream.of(texts).filter(t -> !t.isEmpty()).toList();
  }
}
