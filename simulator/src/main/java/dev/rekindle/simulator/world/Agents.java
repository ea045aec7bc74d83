package dev.rekindle.simulator.world;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Incident;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.simulator.Happening.Kind;
import dev.rekindle.simulator.api.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The node agents: each states the faults of its node and how far the ranks on it have come, as
 * long as its node answers.
 */
final class Agents {
  private static final Duration FINDS = Duration.ofMillis(300);

  private static final Duration WHILE_STANDING = Duration.ofSeconds(5);

  /** Bursts that a fault keeps. */
  private static final int INCIDENTS = 8;

  private record Finding(
      String component,
      String code,
      FenceGuidance fence,
      String action,
      String evidence,
      Incident incident) {}

  private final World world;
  private final Map<String, Map<String, Finding>> untold = new HashMap<>();
  private final Map<String, Integer> turns = new HashMap<>();

  /** By UID of the job: the beginning of the steady training of which every rank has told. */
  private final Map<String, Instant> allToldSince = new HashMap<>();

  Agents(World world) {
    this.world = world;
  }

  void find(
      Machine machine,
      String component,
      String code,
      FenceGuidance fence,
      String action,
      String evidence) {
    PodObject hit =
        world.pods().list("spec.nodeName", machine.name()).stream()
            .filter(PodObject::live)
            .findFirst()
            .orElse(null);
    Incident incident =
        incident(
            machine,
            world.now(),
            hit == null ? "" : hit.meta().namespace(),
            hit == null ? "" : hit.meta().name(),
            hit == null ? "" : hit.meta().owner(),
            hit == null ? "" : hit.job().name());
    Finding finding = new Finding(component, code, fence, action, evidence, incident);
    int number = machine.number();
    world
        .loop()
        .after(
            world.jitter(FINDS),
            () -> {
              if (number != machine.number()) {
                return;
              }
              untold
                  .computeIfAbsent(machine.name(), _ -> new LinkedHashMap<>())
                  .put(code + incident.jobUid(), finding);
              tell(machine);
            });
  }

  private static Incident incident(
      Machine machine, Instant at, String namespace, String pod, String jobUid, String owner) {
    return new Incident(
        at, at, 1, "", namespace, pod, jobUid, machine.bootId(), owner, "", "", List.of());
  }

  /** What the agent of a node wrote down before the time that is told. */
  void history(Machine machine, String... jobs) {
    for (String job : jobs) {
      Incident incident = incident(machine, world.now().minusSeconds(3_600), "past", "", job, job);
      write(
          machine,
          new Finding(
              "GPU 0000:3b:00", "XID-31", FenceGuidance.THRESHOLD, "restart_job", "", incident));
    }
  }

  /** Writes down that a fault is gone. */
  void cleared(Machine machine, String code, String by) {
    Map<String, Finding> findings = untold.get(machine.name());
    if (findings != null) {
      findings.keySet().removeIf(key -> key.startsWith(code));
    }
    String name = name(machine.name(), code);
    if (world.faults().find(name).isPresent()) {
      world.faults().patch(name, f -> f.cleared(by));
    }
  }

  private static String name(String node, String code) {
    return node + "-" + code.toLowerCase(Locale.ROOT);
  }

  /** Writes down what its node has not been able to say yet. */
  void tell(Machine machine) {
    Map<String, Finding> findings = untold.get(machine.name());
    if (findings == null || !machine.answers()) {
      return;
    }
    findings.values().forEach(finding -> write(machine, finding));
    untold.remove(machine.name());
  }

  private void write(Machine machine, Finding finding) {
    String node = machine.name();
    String name = name(node, finding.code());
    // What stands there of an earlier Node of the name, in another boot, is no history of this one.
    List<Incident> before =
        world
            .faults()
            .find(name)
            .map(FaultObject::view)
            .filter(
                f ->
                    f.nodeUid().equals(machine.nodeUid)
                        || f.bootId().equals(finding.incident().bootId()))
            .map(FaultView::incidents)
            .orElse(List.of());
    FaultView view =
        new FaultView(
            name,
            node,
            finding.component(),
            finding.code(),
            finding.fence(),
            true,
            before.size() + 1,
            finding.incident().lastSeen(),
            finding.evidence(),
            "kmsg",
            finding.action(),
            finding.incident().bootId(),
            "",
            and(before, finding.incident()),
            null,
            machine.nodeUid);
    if (world.faults().find(name).isPresent()) {
      world.faults().patch(name, f -> new FaultObject(f.meta(), view));
    } else {
      world.faults().create(new FaultObject(Meta.draft("", name, ""), view));
    }
    world.tell(Kind.NODE, node, "NodeFault " + finding.code() + " on " + finding.component());
  }

  private List<Incident> and(List<Incident> before, Incident next) {
    List<Incident> incidents = new ArrayList<>(before);
    Incident last = incidents.isEmpty() ? null : incidents.getLast();
    if (last != null
        && last.bootId().equals(next.bootId())
        && last.jobUid().equals(next.jobUid())
        && last.lastSeen().plus(world.policy().burst()).isAfter(next.lastSeen())) {
      incidents.set(
          incidents.size() - 1,
          new Incident(
              last.firstSeen(),
              next.lastSeen(),
              last.lines() + 1,
              last.unit(),
              last.namespace(),
              last.pod(),
              last.jobUid(),
              last.bootId(),
              last.owner(),
              "",
              "",
              List.of()));
    } else {
      incidents.add(next);
    }
    return incidents.subList(Math.max(0, incidents.size() - INCIDENTS), incidents.size());
  }

  /** What is put right needs not be told any more. */
  void forget(String node) {
    untold.remove(node);
  }

  /**
   * Every agent reports on the ranks of a job on its node, again and again: as often as told while
   * steps are made, at least every few seconds while they are not. Where reports are rare, for long
   * runs, one rank speaks for all once each has been heard.
   */
  void follow(Gang gang, JobObject job) {
    follow(gang, job, turns.merge(job.meta().uid(), 1, Integer::sum));
  }

  private void follow(Gang gang, JobObject job, int turn) {
    Duration period = world.timing().report();
    boolean often = !gang.moving() && reportsAreRare();
    world
        .loop()
        .after(
            world.jitter(often ? WHILE_STANDING : period),
            () -> {
              JobObject now = world.jobs().find(job.meta().key()).orElse(null);
              if (now == null
                  || !now.meta().uid().equals(job.meta().uid())
                  || turn != turns.getOrDefault(job.meta().uid(), 0)) {
                return;
              }
              if (now.optIn() instanceof OptIn.Yes) {
                report(gang, now);
              }
              follow(gang, now, turn);
            });
  }

  private void report(Gang gang, JobObject job) {
    String uid = job.meta().uid();
    Instant since = gang.movingSince().orElse(null);
    boolean known = since != null && since.equals(allToldSince.get(uid)) && reportsAreRare();
    for (PodObject pod : world.podsOf(job)) {
      if (pod.status().phase() == Phase.RUNNING && world.agentAnswers(pod.node())) {
        report(gang, job, pod);
        if (known) {
          // All move together: one rank tells what the others would.
          return;
        }
      }
    }
    if (since != null) {
      allToldSince.put(uid, since);
    }
  }

  /**
   * Training has come to a stand: agents look more often. Where reports are rare, one is made up
   * for that an agent would have written a moment ago.
   */
  void stands(Gang gang, JobObject job) {
    if (reportsAreRare() && job.optIn() instanceof OptIn.Yes) {
      world.podsOf(job).stream()
          .filter(pod -> pod.status().phase() == Phase.RUNNING)
          .filter(pod -> world.agentAnswers(pod.node()))
          .filter(pod -> gang.process(pod.meta().uid()) != null)
          .findFirst()
          .ifPresent(pod -> report(gang, job, pod));
    }
    follow(gang, job);
  }

  /** A script asks for something: its agent tells at once. */
  void asks(Gang gang, JobObject job) {
    if (job.optIn() instanceof OptIn.Yes) {
      report(gang, job);
    }
  }

  private boolean reportsAreRare() {
    return world.timing().report().compareTo(WHILE_STANDING) > 0;
  }

  private void report(Gang gang, JobObject job, PodObject pod) {
    Gang.Progress progress = gang.progress(pod.meta().uid());
    RankProcess process = gang.process(pod.meta().uid());
    RankView view =
        new RankView(
            job.key(),
            pod.meta().name(),
            pod.meta().uid(),
            pod.node(),
            pod.status().restarts(),
            progress.first(),
            progress.last(),
            progress.firstTime(),
            progress.lastTime(),
            world.now(),
            process == null ? null : process.asked);
    String key = pod.meta().key();
    RankObject before = world.ranks().find(key).orElse(null);
    if (before != null && !before.meta().owner().equals(pod.meta().uid())) {
      world.ranks().remove(key, before.meta().uid());
      before = null;
    }
    if (before == null) {
      world
          .ranks()
          .create(
              new RankObject(
                  Meta.draft(job.key().namespace(), pod.meta().name(), pod.meta().uid()), view));
    } else {
      world.ranks().patch(key, r -> new RankObject(r.meta(), view));
    }
  }
}
