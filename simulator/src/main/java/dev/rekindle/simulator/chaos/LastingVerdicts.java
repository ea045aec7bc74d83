package dev.rekindle.simulator.chaos;

import dev.rekindle.api.Scorecard;
import dev.rekindle.api.Scorecard.Entry;
import dev.rekindle.api.ShadowAction;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 24, for verdicts about a period: that nothing happened for an hour, that a fault was
 * seen again, that a pod failed since, that a job made no step. An hour has passed since the entry
 * was written, each event of the verdict has happened, and no other one. Bound: half a minute, as
 * clocks differ and watches are late; and nothing is checked that was written or judged while the
 * clock of a process of the controller was wrong.
 */
final class LastingVerdicts extends Check {
  private static final Duration LATE = Duration.ofSeconds(30);
  private static final Duration HOUR = Duration.ofHours(1);

  private record Key(ShadowAction what, String subject, String uid, Instant time) {
    private static Key of(Entry entry) {
      return new Key(entry.what(), entry.subject(), entry.uid(), entry.time());
    }
  }

  /** When each entry was written, whatever time it bears. */
  private final Map<Key, Instant> written = new HashMap<>();

  /** When each fault was last reported as seen once more, by its name. */
  private final Map<String, Instant> seen = new HashMap<>();

  /** The newest time at which each fault was seen, by the clock of its node. */
  private final Map<String, Instant> newest = new HashMap<>();

  /** When a container on the node last failed. */
  private final Map<String, Instant> failed = new HashMap<>();

  private Instant right = Instant.MIN;

  LastingVerdicts(World world, Invariants all) {
    super(world, all, Invariant.TRUE_VERDICTS);
    world.policies().watch(this::policyChanged);
    world.faults().watch(this::faultChanged);
    world.pods().watch(this::podChanged);
  }

  @Override
  public void clocksAreWrong(boolean wrong) {
    super.clocksAreWrong(wrong);
    right = now();
  }

  private void faultChanged(Change<FaultObject> change) {
    FaultObject after = change.after();
    if (after == null) {
      // What was said of it before it was deleted may come late (seed 85014744).
      return;
    }
    Instant before = change.before() == null ? null : change.before().view().lastSeen();
    Instant last = after.view().lastSeen();
    if (last != null && (before == null || last.isAfter(before))) {
      seen.put(change.key(), now());
      newest.merge(change.key(), last, (a, b) -> a.isAfter(b) ? a : b);
    }
  }

  private void podChanged(Change<PodObject> change) {
    PodObject pod = change.object();
    if (pod.status().failure() != null
        && (change.before() == null
            || !pod.status().equals(change.before().status())
            || change.after() == null)) {
      failed.put(pod.node(), now());
    }
  }

  private void policyChanged(Change<PolicyObject> change) {
    if (change.before() == null || change.after() == null) {
      return;
    }
    Scorecard before = change.before().card();
    for (Entry entry : change.after().card().recent()) {
      if (before.recent().contains(entry)) {
        continue;
      }
      seenAgain(entry);
      if (entry.open()) {
        written.putIfAbsent(Key.of(entry), now());
      } else {
        Instant since = written.get(Key.of(entry));
        if (since != null && !clocksAreWrong() && since.isAfter(right) && isOfThen(entry, since)) {
          judged(entry, since);
        }
      }
    }
  }

  /** An entry of a wrong clock may take effect once it is right again (seed 85004913). */
  private static boolean isOfThen(Entry entry, Instant since) {
    return Duration.between(entry.time(), since).abs().compareTo(UNDER_WAY) <= 0;
  }

  /** Both times stand in objects, whatever clocks they were written by. */
  private void seenAgain(Entry entry) {
    Instant last = newest.get(entry.uid());
    if (entry.then().equals("the fault was seen again")
        && (last == null || !last.isAfter(entry.time().plus(gap())))) {
      untrue(entry, "the newest record of it is of " + last + ", of the same burst");
    }
  }

  private void judged(Entry entry, Instant since) {
    String then = entry.then();
    if (then.endsWith("for an hour") && now().isBefore(since.plus(HOUR).minus(LATE))) {
      untrue(entry, "it was written at " + since);
    }
    Instant seenAt = seen.get(entry.uid());
    if (then.equals("the fault was seen again")
        && isBefore(seenAt, since.plus(gap()).minus(LATE))) {
      untrue(entry, "it was last seen at " + seenAt);
    }
    if (then.equals("nothing happened for an hour")
        && world.faults().find(entry.uid()).isPresent()
        && !isBefore(seenAt, since.plus(gap()).plus(LATE))
        && isBefore(seenAt, now().minus(UNDER_WAY))) {
      untrue(entry, "its fault was seen again at " + seenAt);
    }
    if (then.startsWith("pod ") && isBefore(failed.get(entry.subject()), since.minus(LATE))) {
      untrue(entry, "the last failure there was at " + failed.get(entry.subject()));
    }
    if (then.equals("it made no step for an hour")) {
      Instant step =
          world
              .gangs()
              .find(entry.uid())
              .map(gang -> gang.training().lastStep())
              .orElse(Instant.MIN);
      if (step.isAfter(since.plus(LATE)) && step.isBefore(now().minus(UNDER_WAY))) {
        untrue(entry, "it made a step at " + step);
      }
    }
  }

  /** Records within so long of an entry are of the same burst. */
  private Duration gap() {
    return world
        .policies()
        .find("default")
        .map(p -> p.policy().incidentGap())
        .orElse(Duration.ZERO);
  }

  private static boolean isBefore(@Nullable Instant then, Instant bound) {
    return then == null || then.isBefore(bound);
  }

  private void untrue(Entry entry, String truth) {
    broken(
        "%s of %s, written at %s: %s, says the scorecard; %s"
            .formatted(entry.what(), entry.subject(), entry.time(), entry.then(), truth));
  }
}
