package dev.rekindle.page;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.detect.policy.RecoveryLoss;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A recovery in a list.
 *
 * @param namespace its namespace
 * @param name its name
 * @param job its job
 * @param phase the phase's word
 * @param tone how it stands
 * @param reason the cause's word
 * @param nodes nodes that it is about
 * @param way how it restarts; may be empty
 * @param began when it was opened
 * @param downtimeSeconds from detection to the first new step; absent until known
 * @param loss what it has lost; without figures until they are known
 * @param cost what that costs; absent where it or the price is not known
 * @param currency of the cost
 * @param steps reached, resumed from, first after; may be empty
 * @param hold the word of what it waits for; empty where it is not held
 * @param approval what a person has said to it; empty where nothing, or it is over
 */
public record RecoveryRow(
    String namespace,
    String name,
    String job,
    String phase,
    Tone tone,
    String reason,
    List<String> nodes,
    String way,
    Instant began,
    @Nullable Double downtimeSeconds,
    RecoveryLoss loss,
    @Nullable Double cost,
    String currency,
    String steps,
    String hold,
    String approval) {
  /**
   * A price is looked up by so many nodes: gangs are of one model, and thousands of rows are kept.
   */
  private static final int PRICED = 16;

  private static final Set<String> ASKED = Set.of("AwaitingApproval", "ApprovalExpired");

  public RecoveryRow {
    nodes = List.copyOf(nodes);
  }

  /**
   * The row of a recovery; one without a time is of the epoch. Namespaces, causes and names of
   * nodes are the same again and again, and are kept once.
   */
  public static RecoveryRow of(Recovery recovery) {
    Incident incident = new Incident(recovery, List.of(), Instant.EPOCH);
    RecoveryStatus status = incident.status();
    RecoveryStatus.Outcome outcome = status.outcome();
    return new RecoveryRow(
        incident.namespace().intern(),
        incident.name(),
        VisibleText.of(incident.spec().job()),
        status.phase() == null ? "Opened" : status.phase().word(),
        Tone.of(status.phase()),
        VisibleText.of(status.cause() == null ? "" : status.cause().reason()).intern(),
        Incident.nodes(recovery).stream().map(VisibleText::of).map(String::intern).toList(),
        status.plan() == null || status.plan().restart() == null
            ? ""
            : status.plan().restart().word(),
        incident.began(),
        outcome == null ? null : outcome.downtimeSeconds(),
        few(RecoveryLoss.of(status)),
        null,
        "",
        steps(status),
        status.phase() == RecoveryPhase.HELD ? hold(status) : "",
        status.phase() != null && status.phase().isTerminal()
            ? ""
            : Approvals.text(status).map(VisibleText::of).orElse(""));
  }

  private static RecoveryLoss few(RecoveryLoss loss) {
    return new RecoveryLoss(
        loss.gpuSeconds(),
        loss.times(),
        List.of(),
        loss.gang().stream().limit(PRICED).map(String::intern).toList());
  }

  private static String hold(RecoveryStatus status) {
    return status.conditions().stream()
        .filter(c -> "Progressing".equals(c.getType()) && c.getReason() != null)
        .map(Condition::getReason)
        .map(VisibleText::of)
        .findFirst()
        .orElse("");
  }

  /** The same with what it has cost by these prices. */
  public RecoveryRow priced(Pricing pricing) {
    OptionalDouble amount = pricing.of(loss);
    return amount.isEmpty()
        ? this
        : new RecoveryRow(
            namespace,
            name,
            job,
            phase,
            tone,
            reason,
            nodes,
            way,
            began,
            downtimeSeconds,
            loss,
            amount.getAsDouble(),
            pricing.currency(),
            steps,
            hold,
            approval);
  }

  private static String steps(RecoveryStatus status) {
    Long last = status.cause() == null ? null : status.cause().lastStep();
    Long resumed = status.outcome() == null ? null : status.outcome().resumedStep();
    Long first = status.outcome() == null ? null : status.outcome().firstStepAfter();
    return resumed == null && first == null
        ? step(last)
        : step(last) + "→" + step(resumed) + "→" + step(first);
  }

  private static String step(@Nullable Long step) {
    return step == null ? "?" : step.toString();
  }

  boolean held() {
    return phase.equals(RecoveryPhase.HELD.word());
  }

  /** Whether it is not over. */
  public boolean open() {
    return tone == Tone.UNDER_WAY || tone == Tone.WAITING;
  }

  String beganText() {
    return Figures.moment(began);
  }

  String downtime() {
    return Optional.ofNullable(downtimeSeconds).map(Figures::time).orElse("");
  }

  /** GPU time lost; absent until known. */
  public @Nullable Double lostGpuSeconds() {
    return loss.gpuSeconds();
  }

  /** Whether it is open, and waits for an approval or has one. */
  boolean asksAPerson() {
    return open() && (!approval.isEmpty() || ASKED.contains(hold));
  }

  String lostText() {
    return Optional.ofNullable(loss.gpuSeconds()).map(Figures::gpuTime).orElse("");
  }

  String costText() {
    return cost == null ? "" : Figures.money(cost, currency);
  }
}
