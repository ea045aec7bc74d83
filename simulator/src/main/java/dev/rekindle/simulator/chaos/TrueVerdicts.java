package dev.rekindle.simulator.chaos;

import dev.rekindle.api.Scorecard;
import dev.rekindle.api.Scorecard.Entry;
import dev.rekindle.api.ShadowAction;
import dev.rekindle.api.ShadowVerdict;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The entry of a scorecard about a job that was not restarted, or a node that was not fenced, is
 * true for that object, not for another one of its name, and the verdict is the one of its reason.
 */
final class TrueVerdicts extends Check {
  /** Clocks of agents and of the controller differ, and steps are seen late. */
  private static final Duration LATE = Duration.ofSeconds(30);

  /** What the reason of a verdict begins with, and the only verdict that it can be one of. */
  private record Reason(ShadowAction what, String begins, ShadowVerdict verdict) {}

  private static final List<Reason> REASONS =
      List.of(
          fence("the node was taken away", ShadowVerdict.RIGHT),
          fence("a person cordoned the node", ShadowVerdict.RIGHT),
          fence("it was fenced after all", ShadowVerdict.UNKNOWN),
          fence("the node was no longer Ready", ShadowVerdict.RIGHT),
          fence("the fault was seen again", ShadowVerdict.RIGHT),
          fence("pod ", ShadowVerdict.RIGHT),
          fence("the fault was cleared by", ShadowVerdict.WRONG),
          fence("nothing happened for an hour", ShadowVerdict.WRONG),
          restart("the job was deleted", ShadowVerdict.RIGHT),
          restart("the job failed: ", ShadowVerdict.RIGHT),
          restart("the job succeeded", ShadowVerdict.WRONG),
          restart("its user suspended the job", ShadowVerdict.RIGHT),
          restart("it came to step ", ShadowVerdict.WRONG),
          restart("no agent reported on it for an hour", ShadowVerdict.UNKNOWN),
          restart("no agent has polled it lately", ShadowVerdict.UNKNOWN),
          restart("it made no step for an hour", ShadowVerdict.RIGHT));

  /** When each node was last deleted, uncordoned or deleted while it was cordoned, not Ready. */
  private final Map<String, Instant> deleted = new HashMap<>();

  private final Map<String, Instant> uncordoned = new HashMap<>();
  private final Map<String, Instant> notReady = new HashMap<>();

  TrueVerdicts(World world, Invariants all) {
    super(world, all, Invariant.TRUE_VERDICTS);
    world.policies().watch(this::changed);
    world.nodes().watch(this::nodeChanged);
  }

  private static Reason fence(String begins, ShadowVerdict verdict) {
    return new Reason(ShadowAction.FENCE, begins, verdict);
  }

  private static Reason restart(String begins, ShadowVerdict verdict) {
    return new Reason(ShadowAction.RESTART, begins, verdict);
  }

  private void changed(Change<PolicyObject> change) {
    PolicyObject before = change.before();
    PolicyObject after = change.after();
    if (before != null && after != null) {
      List<Entry> known = before.card().recent();
      Scorecard card = after.card();
      card.recent().stream()
          .filter(e -> !e.open() && !known.contains(e))
          .forEach(
              e -> {
                said(e);
                if (e.what() == ShadowAction.RESTART) {
                  judged(e);
                } else {
                  fenced(e);
                }
              });
    }
  }

  /** The verdict is the one of its reason. */
  private void said(Entry entry) {
    Optional<Reason> reason =
        REASONS.stream()
            .filter(r -> r.what() == entry.what() && entry.then().startsWith(r.begins()))
            .findFirst();
    if (reason.isEmpty() || reason.get().verdict() != entry.verdict()) {
      broken(
          "%s of %s is %s, says the scorecard: %s"
              .formatted(entry.what(), entry.subject(), entry.verdict(), entry.then()));
    }
  }

  private void fenced(Entry entry) {
    NodeObject node = world.nodes().find(entry.subject()).orElse(null);
    boolean so =
        switch (entry.then()) {
          case "the node was taken away" -> node == null || goneLately(entry.subject());
          case "a person cordoned the node", "it was fenced after all" ->
              node == null || node.unschedulable() || since(uncordoned.get(entry.subject()), entry);
          case "the node was no longer Ready" ->
              node == null || since(notReady.get(entry.subject()), entry) || !ready(node);
          default -> true;
        };
    if (!so) {
      broken("node %s: %s, says the scorecard".formatted(entry.subject(), entry.then()));
    }
  }

  private boolean goneLately(String node) {
    Instant then = deleted.get(node);
    return then != null && !longAgo(then);
  }

  private static boolean ready(NodeObject node) {
    return node.readiness() == Readiness.READY;
  }

  private static boolean since(@Nullable Instant then, Entry entry) {
    return then != null && then.isAfter(entry.time().minus(LATE));
  }

  private void nodeChanged(Change<NodeObject> change) {
    NodeObject before = change.before();
    NodeObject after = change.after();
    if (before != null && before.unschedulable() && (after == null || !after.unschedulable())) {
      uncordoned.put(change.key(), now());
    }
    if (after == null) {
      deleted.put(change.key(), now());
      return;
    }
    if (!ready(after) || (before != null && !ready(before))) {
      notReady.put(change.key(), now());
    }
  }

  private static JobKey job(Entry entry) {
    String[] parts = entry.subject().split("/", 2);
    return new JobKey(parts[0], parts[1]);
  }

  private void judged(Entry entry) {
    boolean stepped =
        world
            .gangs()
            .find(entry.uid())
            .map(gang -> gang.training().lastStep().isAfter(entry.time().minus(LATE)))
            .orElse(false);
    if (entry.verdict() == ShadowVerdict.WRONG
        && entry.then().startsWith("it came to step")
        && !stepped) {
      broken(
          job(entry),
          "job %s (%s): %s, says the scorecard; it has made no step since %s"
              .formatted(entry.subject(), entry.uid(), entry.then(), entry.time()));
    }
    boolean there =
        world
            .jobs()
            .find(entry.subject())
            .filter(job -> job.meta().uid().equals(entry.uid()))
            .isPresent();
    if (entry.then().equals("the job was deleted") && there) {
      broken("job %s (%s) was deleted, says the scorecard".formatted(entry.subject(), entry.uid()));
    }
  }
}
