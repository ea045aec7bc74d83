package dev.rekindle.simulator.chaos;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.StallFinding;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.recovery.HoldReason;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.WriteObserver;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts what the controller does in a run, by kind: calls, Events, phases, holds, causes, plans,
 * and what recoveries come to. An invariant says what must never happen; the counts show what does,
 * so that a change of what the controller does is seen also where no invariant forbids it. The same
 * controller has the same counts for the same seed.
 */
final class WriteCounts implements WriteObserver {
  private final Map<String, Long> counts = new TreeMap<>();

  private void count(String what, String which) {
    add(what + "/" + which, 1);
  }

  private void add(String what, long much) {
    counts.merge(what, much, Long::sum);
  }

  @Override
  public void called(Answers.Call call, @Nullable JobKey job) {
    count("call", call.name().toLowerCase(Locale.ROOT));
  }

  @Override
  public void announced(ClusterEvent said) {
    count("event", said.reason().word());
  }

  @Override
  public void cordoned(NodeObject before, String recovery) {
    count("node", "cordoned");
  }

  @Override
  public void released(NodeObject before) {
    count("node", "released");
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    count("job", verb);
  }

  @Override
  public void deleted(PodObject pod, Duration grace) {
    count("pod", grace.isZero() ? "deleted-by-force" : "deleted");
    add("pod/grace-seconds", grace.toSeconds());
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    count("order", before == null ? "given" : "changed");
  }

  @Override
  public void withdrew(OrderObject before) {
    count("order", "withdrawn");
  }

  @Override
  public void removed(RecoveryObject recovery) {
    count("recovery", "removed");
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    if (after == null) {
      return;
    }
    RecoveryStatus was = before.status();
    HoldReason hold = HoldReason.of(after).orElse(null);
    if (hold != null && hold != heldFor(was)) {
      count("hold", hold.word());
    }
    RecoveryPhase phase = after.phase();
    if (phase == null || (was != null && was.phase() == phase)) {
      return;
    }
    count("phase", phase.word());
    if (was != null && was.phase() != null && was.phaseSince() != null) {
      add(
          "milliseconds/" + was.phase().word(),
          Duration.between(was.phaseSince(), Objects.requireNonNull(after.phaseSince()))
              .toMillis());
    }
    if (phase.isTerminal()) {
      ended(after);
    }
  }

  private static @Nullable HoldReason heldFor(@Nullable RecoveryStatus status) {
    return status == null ? null : HoldReason.of(status).orElse(null);
  }

  private void ended(RecoveryStatus status) {
    add("recovery/attempts", status.attempt());
    Cause cause = status.cause();
    if (cause != null) {
      count("cause", cause.reason());
      add("cause/faulty-nodes", cause.faultyNodes().size());
      add("cause/silent-nodes", cause.silentNodes().size());
      add("cause/suspect-pods", cause.suspectPods().size());
      StallFinding stall = cause.stall();
      if (stall != null) {
        count("stall", stall.stallClass() + "-" + stall.confidence());
      }
    }
    Plan plan = status.plan();
    if (plan != null) {
      planned(plan);
    }
    for (ResumeAttempt attempt : status.resumes()) {
      count("attempt", attempt.result().word());
    }
    Outcome outcome = status.outcome();
    if (outcome != null) {
      sum("outcome/resumed-step", outcome.resumedStep());
      sum("outcome/lost-steps", outcome.lostSteps());
      if (outcome.resume() != null) {
        count("resume", outcome.resume().word());
      }
    }
  }

  private void planned(Plan plan) {
    RestartWay way = plan.restart();
    if (way != null) {
      count("plan", way.word());
    }
    add("plan/excluded-nodes", plan.excludedNodes().size());
    add("plan/avoided-nodes", plan.avoidedNodes().size());
    PinnedCheckpoint pin = plan.checkpoint();
    if (pin != null) {
      count("checkpoint", pin.verdict().word());
      sum("checkpoint/steps", pin.step());
    }
  }

  private void sum(String what, @Nullable Long much) {
    if (much != null) {
      add(what, much);
    }
  }

  /** By kind and name, {@code event/RecoveryStarted}, in their order. */
  Map<String, Long> counts() {
    return counts;
  }

  /** The counts of two runs together. */
  static Map<String, Long> sum(Map<String, Long> one, Map<String, Long> other) {
    if (other.isEmpty()) {
      return one;
    }
    Map<String, Long> sum = new TreeMap<>(one);
    other.forEach((what, count) -> sum.merge(what, count, Long::sum));
    return sum;
  }

  /** As {@link #parse} reads them: words, each behind a blank. */
  static String format(Map<String, Long> counts) {
    StringBuilder text = new StringBuilder();
    counts.forEach((what, count) -> text.append(' ').append(what).append('=').append(count));
    return text.toString();
  }

  /** Those among the words of a line: all that have a kind and a name. */
  static Map<String, Long> parse(List<String> words) {
    Map<String, Long> counts = new TreeMap<>();
    for (String word : words) {
      int at = word.indexOf('=');
      if (word.indexOf('/') > 0 && at > 0) {
        counts.put(word.substring(0, at), Long.parseLong(word.substring(at + 1)));
      }
    }
    return counts;
  }

  /** The rows of a table in Markdown, one for each count, in their order. */
  static List<String> table(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .map(entry -> String.format(Locale.ROOT, "| %s | %,d |", entry.getKey(), entry.getValue()))
        .toList();
  }
}
