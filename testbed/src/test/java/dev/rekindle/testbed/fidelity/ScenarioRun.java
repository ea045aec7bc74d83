package dev.rekindle.testbed.fidelity;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A scenario under way: acts on a subject and notes what comes of it. */
final class ScenarioRun {
  private static final Duration LONG = Duration.ofMinutes(3);

  /** Ends a scenario that cannot continue; what was noted so far is what was seen. */
  static final class Stuck extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stuck(String message) {
      super(message);
    }
  }

  private final Subject subject;
  private final List<String> notes = new ArrayList<>();
  private final Map<String, IdleJobSpec> wishes = new HashMap<>();

  private ScenarioRun(Subject subject) {
    this.subject = subject;
  }

  /** Plays the scenario and returns what was seen. */
  static Observation of(Scenario scenario, Subject subject) {
    ScenarioRun run = new ScenarioRun(subject);
    try {
      scenario.script().accept(run);
    } catch (Stuck stuck) {
      run.note("STUCK: " + stuck.getMessage());
    }
    return Observation.of(run.notes, subject.objectVersions());
  }

  Subject subject() {
    return subject;
  }

  void note(String what) {
    notes.add(what);
  }

  void note(String what, Object seen) {
    notes.add(what + ": " + seen);
  }

  /** Notes the answer to a call when it is not the plain success. */
  private void answer(String what, int code) {
    if (code != Subject.OK) {
      note(what, code);
    }
  }

  // --- acts -----------------------------------------------------------------------------------

  /** Creates a job and waits until all its pods are ready. */
  void start(String job, IdleJobSpec spec) {
    create(job, spec);
    up(job);
  }

  void create(String job, IdleJobSpec spec) {
    int code = subject.create(job, spec);
    answer("create " + job, code);
    if (code == Subject.OK) {
      wishes.put(job, spec);
    }
  }

  void suspend(String job) {
    answer("suspend " + job, subject.suspend(job, true));
  }

  void resume(String job) {
    answer("resume " + job, subject.suspend(job, false));
  }

  void revive(String job) {
    answer("revive " + job, subject.revive(job));
  }

  void delete(String job, String rank) {
    answer("delete " + rank, subject.deletePod(job, rank, "", null));
  }

  void delete(String job, String rank, Duration grace) {
    answer("delete " + rank, subject.deletePod(job, rank, pod(job, rank).uid(), grace));
  }

  /** Notes whatever the answer is. */
  void tryDelete(String what, String job, String rank, String uid, @Nullable Duration grace) {
    note(what, subject.deletePod(job, rank, uid, grace));
  }

  void pass(Duration time) {
    subject.pass(time);
  }

  // --- waiting --------------------------------------------------------------------------------

  void await(String what, BooleanSupplier so) {
    if (!subject.until(LONG, so)) {
      throw new Stuck("not within " + LONG.toSeconds() + " s: " + what + "; pods " + all());
    }
  }

  private List<String> all() {
    return wishes.keySet().stream()
        .flatMap(
            job -> subject.pods(job).stream().map(p -> job + "-" + ObjectVersion.rank(p) + " " + p))
        .toList();
  }

  /** Every rank has a ready pod that is not being deleted. */
  void up(String job) {
    int ranks = Optional.ofNullable(wishes.get(job)).map(IdleJobSpec::ranks).orElseThrow();
    await("all pods of " + job + " ready", () -> ready(job).size() == ranks);
  }

  /** Every rank has a ready pod that was not there before. */
  void upAnew(String job, Set<String> former) {
    int ranks = Optional.ofNullable(wishes.get(job)).map(IdleJobSpec::ranks).orElseThrow();
    await(
        "new pods of " + job + " ready",
        () -> ready(job).stream().filter(p -> !former.contains(p.uid())).count() == ranks);
  }

  private List<PodView> ready(String job) {
    return subject.pods(job).stream().filter(p -> p.ready() && !p.terminating()).toList();
  }

  void noPods(String job) {
    await("no pod of " + job, () -> subject.pods(job).isEmpty());
  }

  void suspended(String job) {
    await("Suspended", () -> job(job).suspensionSeen());
  }

  void failed(String job) {
    await("Failed", () -> job(job).finish() == JobView.Finish.FAILED);
  }

  void ready(Readiness readiness) {
    await("the lone node is " + readiness, () -> subject.loneNode().readiness() == readiness);
  }

  /** That pod of that UID is gone. */
  void gone(String job, String uid) {
    await("pod gone", () -> subject.pods(job).stream().noneMatch(p -> p.uid().equals(uid)));
  }

  // --- reading --------------------------------------------------------------------------------

  JobView job(String job) {
    return subject.job(job).orElseThrow(() -> new Stuck("no job " + job));
  }

  PodView pod(String job, String rank) {
    return find(job, rank).orElseThrow(() -> new Stuck("no pod " + rank));
  }

  Optional<PodView> find(String job, String rank) {
    return subject.pods(job).stream().filter(p -> ObjectVersion.rank(p).equals(rank)).findFirst();
  }

  /** Pods of the job as they were when the first version of it that is so was written. */
  List<PodView> podsWhen(String job, Predicate<JobView> so) {
    return podsFrom(job, s -> s.job() != null && so.test(s.job()));
  }

  /** Pods of the job as they were when it was gone. */
  List<PodView> podsWhenGone(String job) {
    return podsFrom(job, s -> s.job() != null && s.gone());
  }

  private List<PodView> podsFrom(String job, Predicate<ObjectVersion> so) {
    long version =
        subject.objectVersions().stream()
            .filter(s -> s.name().equals("job " + job) && so.test(s))
            .mapToLong(ObjectVersion::version)
            .min()
            .orElseThrow(() -> new Stuck("no such version of job " + job));
    return subject.podsAt(job, version);
  }

  Set<String> uids(String job) {
    return subject.pods(job).stream().map(PodView::uid).collect(Collectors.toSet());
  }
}
