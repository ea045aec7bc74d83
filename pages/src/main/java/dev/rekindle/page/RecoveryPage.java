package dev.rekindle.page;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.detect.judge.CodeExplainer;
import dev.rekindle.detect.judge.CodeExplainer.CodeText;
import dev.rekindle.detect.knowledge.Kind;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * All that the page of one recovery shows, in the words and figures of the page.
 *
 * @param namespace its namespace
 * @param name its name
 * @param job name of the job
 * @param jobKind kind of the job
 * @param phase the phase's word
 * @param tone how it stands
 * @param began when it was opened
 * @param summary one sentence: what happened
 * @param reason the cause's word
 * @param evidence what shows it
 * @param cause more of the cause
 * @param meanings what its codes mean
 * @param bars phases to scale, one for each pass
 * @param steps the curve of steps; empty where too little was seen
 * @param moments the timeline
 * @param uncertain what the times and steps are worth
 * @param plan the restart
 * @param checkpoint the one chosen, and those passed over
 * @param outcome the outcome of the recovery
 * @param network what its gang was on before, and is on now
 * @param cost what it cost
 * @param approval what a person has said
 * @param nodes nodes that it is about
 * @param faults names of the NodeFaults of it
 * @param next what is left to a person
 * @param commands lines for a shell
 */
record RecoveryPage(
    String namespace,
    String name,
    String job,
    String jobKind,
    String phase,
    Tone tone,
    Instant began,
    String summary,
    String reason,
    List<Seen> evidence,
    List<Fact> cause,
    List<CodeText> meanings,
    List<PhaseBar> bars,
    Optional<StepCurve> steps,
    List<TimelineRow> moments,
    List<String> uncertain,
    List<Fact> plan,
    List<Fact> checkpoint,
    List<Fact> outcome,
    List<Fact> network,
    List<Fact> cost,
    List<Fact> approval,
    List<String> nodes,
    List<String> faults,
    List<String> next,
    List<String> commands) {

  static RecoveryPage of(Incident incident, CodeExplainer codes) {
    RecoveryStatus status = incident.status();
    RecoveryStatus.Cause cause = status.cause();
    Set<String> words = new LinkedHashSet<>();
    if (cause != null) {
      words.add(cause.reason());
    }
    incident.faults().forEach(f -> words.add(f.getSpec().code()));
    return new RecoveryPage(
        incident.namespace(),
        incident.name(),
        VisibleText.of(incident.spec().job()),
        VisibleText.of(incident.spec().jobRef().kind()),
        status.phase() == null ? "Opened" : status.phase().word(),
        Tone.of(status.phase()),
        incident.began(),
        VisibleText.of(cause == null ? "No cause is written down yet." : cause.message()),
        VisibleText.of(cause == null ? "" : cause.reason()),
        cause == null ? List.of() : cause.evidence().stream().map(Seen::of).toList(),
        Sections.cause(incident),
        Stream.of(
                holds(status).flatMap(reason -> codes.explain(Kind.HOLD, reason).stream()),
                Incident.network(status).stream()
                    .map(c -> Objects.requireNonNullElse(c.getReason(), ""))
                    .flatMap(reason -> codes.explain(Kind.CONDITION, reason).stream()),
                words.stream().flatMap(code -> codes.explain(code).stream()))
            .flatMap(Function.identity())
            .toList(),
        PhaseBar.of(status.timeline(), incident.now()),
        StepCurve.of(status),
        TimelineRow.of(incident),
        Caveats.of(incident),
        Sections.plan(incident),
        Sections.checkpoint(incident),
        Sections.outcome(incident),
        Sections.network(incident),
        Sections.cost(incident),
        Sections.approval(incident),
        Incident.nodes(incident.recovery()).stream().map(VisibleText::of).toList(),
        incident.faults().stream().map(f -> f.getMetadata().getName()).toList(),
        NextSteps.sentences(incident),
        NextSteps.commands(incident));
  }

  /** Why it is held; nothing where it is not. */
  private static Stream<String> holds(RecoveryStatus status) {
    return status.phase() == RecoveryPhase.HELD
        ? status.conditions().stream()
            .filter(c -> "Progressing".equals(c.getType()) && c.getReason() != null)
            .map(Condition::getReason)
        : Stream.empty();
  }

  /** What the ids of its parts begin with: several may stand in one document. */
  String id() {
    return "r-" + namespace + "-" + name;
  }

  /** Cause and summary; the cause's word is not said twice. */
  String lead() {
    return reason.isEmpty() || summary.startsWith(reason) ? summary : reason + ": " + summary;
  }

  String beganText() {
    return Figures.moment(began);
  }
}
