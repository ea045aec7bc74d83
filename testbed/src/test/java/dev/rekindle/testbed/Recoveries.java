package dev.rekindle.testbed;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.TimelineEntry;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** The recoveries of one job. */
final class Recoveries {
  /** The phases of a recovery that nothing holds up. */
  static final List<RecoveryPhase> STRAIGHT_ON =
      List.of(
          RecoveryPhase.DETECTED,
          RecoveryPhase.FENCING,
          RecoveryPhase.DRAINING,
          RecoveryPhase.PLANNING,
          RecoveryPhase.RESUMING,
          RecoveryPhase.VERIFYING,
          RecoveryPhase.RECOVERED);

  /**
   * A recovery of the testbed takes some 10 to 60 s: many times that. A silent node, a hold and a
   * second attempt are in it.
   */
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final KubernetesClient client;
  private final TrainingJob job;

  Recoveries(KubernetesClient client, TrainingJob job) {
    this.client = client;
    this.job = job;
  }

  /** All of them, oldest first. */
  List<Recovery> all() {
    return client
        .resources(Recovery.class)
        .inNamespace(Testbed.NAMESPACE)
        .list()
        .getItems()
        .stream()
        .filter(r -> r.getSpec().job().equals(job.name()))
        .sorted(
            Comparator.comparing((Recovery r) -> r.getMetadata().getCreationTimestamp())
                .thenComparing(r -> r.getMetadata().getName()))
        .toList();
  }

  /** The newest one that has ended well, once there are so many. */
  Recovery awaitRecovered(int ordinal) {
    return Await.value(
        "recovery %d of %s Recovered".formatted(ordinal, job.name()),
        LIMIT,
        () ->
            Optional.of(all())
                .filter(all -> all.size() >= ordinal)
                .map(all -> all.get(ordinal - 1))
                .filter(r -> phase(r).filter(RecoveryPhase.RECOVERED::equals).isPresent()),
        this::describe);
  }

  /** The newest one, once it is held. */
  Recovery awaitHeld() {
    return Await.value(
        "a recovery of %s Held".formatted(job.name()),
        LIMIT,
        () -> all().stream().reduce((_, newer) -> newer).filter(Recoveries::held),
        this::describe);
  }

  /** The only recovery, once it has ended well. */
  Recovery awaitRecovered() {
    Recovery recovery = awaitRecovered(1);
    if (all().size() != 1) {
      throw new AssertionError("more than one recovery: " + describe());
    }
    return recovery;
  }

  static Optional<RecoveryPhase> phase(Recovery recovery) {
    return Optional.ofNullable(recovery.getStatus()).map(RecoveryStatus::phase);
  }

  static boolean recovered(Recovery recovery) {
    return phase(recovery).filter(RecoveryPhase.RECOVERED::equals).isPresent();
  }

  static boolean held(Recovery recovery) {
    return phase(recovery).filter(RecoveryPhase.HELD::equals).isPresent();
  }

  /** Everything it says to people about how it goes: timeline and conditions. */
  static Stream<String> words(Recovery recovery) {
    return Stream.concat(
        status(recovery).timeline().stream().map(TimelineEntry::detail),
        status(recovery).conditions().stream().map(Condition::getMessage));
  }

  static RecoveryStatus status(Recovery recovery) {
    return Objects.requireNonNull(recovery.getStatus());
  }

  static RecoveryStatus.Cause cause(Recovery recovery) {
    return Objects.requireNonNull(status(recovery).cause());
  }

  static RecoveryStatus.Plan plan(Recovery recovery) {
    return Objects.requireNonNull(status(recovery).plan());
  }

  static PinnedCheckpoint checkpoint(Recovery recovery) {
    return Objects.requireNonNull(plan(recovery).checkpoint());
  }

  static RecoveryStatus.Outcome outcome(Recovery recovery) {
    return Objects.requireNonNull(status(recovery).outcome());
  }

  /** From the first entry of its timeline to the last one. */
  static Duration took(Recovery recovery) {
    List<TimelineEntry> timeline = status(recovery).timeline();
    return Duration.between(timeline.getFirst().time(), timeline.getLast().time());
  }

  /** The phases of the timeline in order, a phase with several entries only once. */
  static List<RecoveryPhase> phases(Recovery recovery) {
    List<RecoveryPhase> phases = new java.util.ArrayList<>();
    for (TimelineEntry entry : status(recovery).timeline()) {
      if (phases.isEmpty() || phases.getLast() != entry.phase()) {
        phases.add(entry.phase());
      }
    }
    return phases;
  }

  String describe() {
    List<Recovery> all = all();
    return all.isEmpty() ? "there is no recovery" : Serialization.asYaml(all);
  }
}
