package dev.rekindle.controller.recovery;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.ComeBacks;
import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.RecoveryEvent;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.diagnosis.Verdict;
import dev.rekindle.controller.network.RdmaProof.Proof;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes the next status from the last one: timeline, conditions, times per phase. */
final class RecoveryStatusBuilder {
  static final int MAX_ENTRIES = 64;
  private static final int MAX_EVIDENCE = 8;

  /** Whether the newest attempt has resumed from the checkpoint that was pinned. */
  private static final String RESUMED = "Resumed";

  /** The condition that says whether the gang is on RDMA again; absent where that is not asked. */
  static final String RDMA_RESTORED = "RdmaRestored";

  /** Conditions that outlive a phase. */
  private static final Set<String> KEPT = Set.of(RESUMED, RDMA_RESTORED, Approval.TYPE);

  private RecoveryStatusBuilder() {}

  /**
   * The cause with the last lease renewal of the kubelets of its silent nodes.
   *
   * @param renewed when each last renewed its lease, where that is known
   */
  static Cause withLeases(Cause cause, Map<String, Instant> renewed, Instant now) {
    List<Evidence> evidence = new ArrayList<>(cause.evidence());
    renewed.forEach(
        (node, at) ->
            evidence.add(
                Evidence.onNode(
                    node,
                    "its kubelet last renewed its lease %d s ago"
                        .formatted(Duration.between(at, now).toSeconds()))));
    return cause.withEvidence(evidence.stream().limit(MAX_EVIDENCE).toList());
  }

  /** The first status of a recovery. */
  static RecoveryStatus begin(Cause cause, List<String> gangNodes, Instant now) {
    Plan plan = new Plan(null, "", List.of(), gangNodes, Map.of(), null);
    RecoveryStatus empty =
        new RecoveryStatus(null, null, 1, null, cause, plan, null, List.of(), List.of())
            .withResumes(before(cause));
    return enter(empty, RecoveryPhase.DETECTED, cause.message(), now);
  }

  /**
   * The start of the gang that led to the recovery, where it has shown that what its script took
   * cannot be loaded. It counts like an attempt without a pinned checkpoint.
   */
  private static List<ResumeAttempt> before(Cause cause) {
    return cause.reason().equals(CauseReason.CHECKPOINT_NOT_LOADED.word())
        ? List.of(
            new ResumeAttempt(
                ResumeAttempt.BEFORE,
                null,
                null,
                null,
                ResumeResult.LOAD_ERROR,
                cause.message(),
                ""))
        : List.of();
  }

  /** The first status of a recovery in which nothing was done. */
  static RecoveryStatus cameBack(
      Verdict.SelfRecovered back, List<String> gangNodes, long gpus, Instant now) {
    RecoveryStatus begun = begin(back.cause(), gangNodes, back.ended());
    return cameBack(begun, new ComeBacks(1, back.trains(), back.trains()), back, gpus, now);
  }

  /** The same recovery, once more. */
  static RecoveryStatus cameBackAgain(
      RecoveryStatus before, Verdict.SelfRecovered back, long gpus, Instant now) {
    ComeBacks so = Objects.requireNonNull(before.comeBacks());
    RecoveryStatus next = before.withCause(back.cause());
    ComeBacks more = new ComeBacks(so.count() + 1, so.first(), back.trains());
    return cameBack(next, more, back, gpus, now);
  }

  private static RecoveryStatus cameBack(
      RecoveryStatus before, ComeBacks so, Verdict.SelfRecovered back, long gpus, Instant now) {
    long downMillis = Math.max(0, Duration.between(back.ended(), back.trains()).toMillis());
    Outcome outcome =
        new Outcome(
            null,
            back.firstStep(),
            null,
            downMillis * gpus / 1000.0,
            downMillis / 1000.0,
            Map.of());
    String detail =
        ("nothing was done: the kubelets restarted the containers, and the gang trains again from"
                + " step %d, %.1f s after the first one ended%s")
            .formatted(
                back.firstStep(),
                downMillis / 1000.0,
                so.count() == 1 ? "" : "; %d times since %s".formatted(so.count(), so.first()));
    return enter(
        before.with(b -> b.outcome(outcome).comeBacks(so)), RecoveryPhase.RECOVERED, detail, now);
  }

  /** Enters a phase. */
  static RecoveryStatus enter(RecoveryStatus s, RecoveryPhase phase, String detail, Instant now) {
    return enter(s, phase, phase.word(), detail, now);
  }

  /** Enters Held. */
  static RecoveryStatus hold(RecoveryStatus s, HoldReason reason, String detail, Instant now) {
    return enter(s, RecoveryPhase.HELD, reason.word(), detail, now);
  }

  /** Stays in Held, for the same reason, of which there is more to say. */
  static RecoveryStatus holdStill(
      RecoveryStatus s, HoldReason reason, TimelineEntry said, Instant now) {
    return s.with(
        b ->
            b.timeline(append(s.timeline(), said))
                .conditions(
                    conditions(
                        s.conditions(), RecoveryPhase.HELD, reason.word(), said.detail(), now)));
  }

  private static RecoveryStatus enter(
      RecoveryStatus s, RecoveryPhase phase, String reason, String detail, Instant now) {
    return s.with(
        b ->
            b.phase(phase)
                .phaseSince(now)
                .restartsAtStart(null)
                .heldFrom(
                    phase == RecoveryPhase.HELD
                        ? Objects.requireNonNullElse(s.heldFrom(), s.phase())
                        : null)
                .timeline(
                    append(
                        s.timeline(),
                        new TimelineEntry(
                            phase, now, detail, phase == RecoveryPhase.HELD ? reason : null)))
                .conditions(conditions(s.conditions(), phase, reason, detail, now)));
  }

  /** Writes down something without leaving the phase. */
  static RecoveryStatus withDetail(RecoveryStatus s, String detail, Instant now) {
    RecoveryPhase phase = Objects.requireNonNullElse(s.phase(), RecoveryPhase.DETECTED);
    return s.withTimeline(append(s.timeline(), new TimelineEntry(phase, now, detail)));
  }

  /** The same with the Events that belong to it, after those that it names already. */
  static RecoveryStatus withEvents(RecoveryStatus s, List<Decision.Note> notes, Instant now) {
    if (notes.isEmpty()) {
      return s;
    }
    Stream<RecoveryEvent> added =
        notes.stream().map(n -> new RecoveryEvent(now, n.reason().word(), n.text(), n.node()));
    return s.withRecentEvents(Stream.concat(s.recentEvents().stream(), added).toList());
  }

  /** The same plan by another way. Only a restart in place replaces single pods. */
  static RecoveryStatus withRestart(RecoveryStatus s, @Nullable RestartWay way, String reason) {
    Plan plan = Objects.requireNonNull(s.plan());
    PlacementPlan placement = way == RestartWay.IN_PLACE ? plan.placement() : null;
    return s.withPlan(plan.with(b -> b.restart(way).restartReason(reason).placement(placement)));
  }

  /** The same plan for a gang of so many pods. */
  static RecoveryStatus withGang(RecoveryStatus s, int pods) {
    return s.withPlan(Objects.requireNonNull(s.plan()).withGangSize(pods));
  }

  /** The same with what an attempt came to: in its list where it failed, and as a condition. */
  static RecoveryStatus withResume(
      RecoveryStatus s, ResumeResult result, String detail, Instant now) {
    List<Condition> others =
        s.conditions().stream().filter(c -> !RESUMED.equals(c.getType())).toList();
    Condition resumed =
        condition(s.conditions(), RESUMED, resumed(result), result.word(), detail, now);
    return s.withConditions(Stream.concat(others.stream(), Stream.of(resumed)).toList());
  }

  /** The same with what carries the data of the gang that trains again. */
  static RecoveryStatus withNetwork(RecoveryStatus s, Proof proof, Instant now) {
    List<Condition> others =
        s.conditions().stream().filter(c -> !RDMA_RESTORED.equals(c.getType())).toList();
    Condition restored =
        condition(
            s.conditions(),
            RDMA_RESTORED,
            proof.finding().status(),
            proof.finding().word(),
            proof.detail(),
            now);
    return s.withConditions(Stream.concat(others.stream(), Stream.of(restored)).toList());
  }

  /** The same for a gang of which nothing is known yet. */
  static RecoveryStatus withoutNetwork(RecoveryStatus s) {
    return s.withConditions(
        s.conditions().stream().filter(c -> !RDMA_RESTORED.equals(c.getType())).toList());
  }

  /** What is said of the network of the gang; empty where nothing is. */
  static Optional<Condition> network(RecoveryStatus s) {
    return s.conditions().stream().filter(c -> RDMA_RESTORED.equals(c.getType())).findFirst();
  }

  private static String resumed(ResumeResult result) {
    return switch (result) {
      case PROVEN, LOSS_FAR, AHEAD, BEHIND -> "True";
      case UNKNOWN, INTERRUPTED -> "Unknown";
      case FROM_ZERO, LOAD_ERROR, LOSS_NOT_FINITE, CRASHED, NO_NEW_STEP -> "False";
    };
  }

  /** Seconds in each phase, up to now. Phases entered more than once add up. */
  static Map<String, Double> secondsPerPhase(RecoveryStatus s, Instant now) {
    Map<String, Long> millis = new LinkedHashMap<>();
    List<TimelineEntry> timeline = s.timeline();
    for (int i = 0; i < timeline.size(); i++) {
      Instant until = i + 1 < timeline.size() ? timeline.get(i + 1).time() : now;
      long spent = Duration.between(timeline.get(i).time(), until).toMillis();
      if (!timeline.get(i).phase().isTerminal()) {
        millis.merge(timeline.get(i).phase().word(), spent, Long::sum);
      }
    }
    Map<String, Double> seconds = new LinkedHashMap<>();
    millis.forEach((phase, sum) -> seconds.put(phase, sum / 1000.0));
    return seconds;
  }

  /** A timeline that is too long loses its middle: its start and its newest entries matter more. */
  private static List<TimelineEntry> append(List<TimelineEntry> timeline, TimelineEntry entry) {
    List<TimelineEntry> next = new ArrayList<>(timeline);
    next.add(entry);
    if (next.size() > MAX_ENTRIES) {
      next.remove(MAX_ENTRIES / 2);
    }
    return List.copyOf(next);
  }

  private static List<Condition> conditions(
      List<Condition> before, RecoveryPhase phase, String reason, String detail, Instant now) {
    boolean over = phase.isTerminal();
    boolean progressing = !over && phase != RecoveryPhase.HELD;
    return Stream.concat(
            Stream.of(
                condition(before, "Progressing", word(progressing), reason, detail, now),
                condition(before, "Complete", word(over), phase.word(), detail, now)),
            before.stream().filter(c -> KEPT.contains(c.getType())))
        .toList();
  }

  private static String word(boolean is) {
    return is ? "True" : "False";
  }

  private static Condition condition(
      List<Condition> before,
      String type,
      String status,
      String reason,
      String message,
      Instant now) {
    String since =
        before.stream()
            .filter(c -> type.equals(c.getType()) && status.equals(c.getStatus()))
            .map(Condition::getLastTransitionTime)
            .findFirst()
            .orElse(now.toString());
    return new ConditionBuilder()
        .withType(type)
        .withStatus(status)
        .withReason(reason)
        .withMessage(message)
        .withLastTransitionTime(since)
        .build();
  }
}
