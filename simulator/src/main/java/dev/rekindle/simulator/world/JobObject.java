package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.JobView.ResumeInjection;
import dev.rekindle.controller.model.SpareWish;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.setup.JobSetup;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A PyTorchJob.
 *
 * @param meta metadata
 * @param setup what it trains
 * @param optIn its annotation
 * @param suspend {@code spec.runPolicy.suspend}
 * @param suspendedMark Rekindle annotation, empty when absent
 * @param template of its pods
 * @param status what the operator says
 * @param policy the policy that it names
 * @param marksOf UID of the job that the suspension by us was written to, empty when there was none
 * @param notOurs why another component is responsible for its restarts, else empty
 * @param queue the queue of Kueue that its label names, empty for none
 */
@RecordBuilder
public record JobObject(
    Meta meta,
    JobSetup setup,
    OptIn optIn,
    boolean suspend,
    String suspendedMark,
    Template template,
    Status status,
    String policy,
    String marksOf,
    String notOurs,
    String queue)
    implements ApiObject<JobObject>, JobObjectBuilder.With {
  /** The claim of rank 0, where it saves on a volume that some nodes reach. */
  public static final String CLAIM = "ckpt";

  /**
   * What the pods are made from.
   *
   * @param attempt Rekindle annotation, empty when absent
   * @param resumeFrom path in the environment, empty for none
   * @param resumeStep its step, -1 for none
   * @param excluded host names that node affinity rules out
   * @param avoided host names that node affinity prefers others to
   * @param preferred topology label to the values that node affinity prefers
   * @param marksOf UID of the job that our annotations were written to, empty when there are none
   * @param planned host names that node affinity prefers to all others
   * @param forMaster whether that of the master alone does, and that of the others avoids them
   * @param reads whether the environment reads the annotations, unless its owner wrote it again
   */
  public record Template(
      String attempt,
      String resumeFrom,
      long resumeStep,
      List<String> excluded,
      List<String> avoided,
      Map<String, List<String>> preferred,
      String marksOf,
      List<String> planned,
      boolean forMaster,
      boolean reads) {
    /** As its owner wrote it. */
    public static final Template PLAIN =
        new Template("", "", -1, List.of(), List.of(), Map.of(), "");

    /** One as a resumption leaves it, that takes pods to no node in particular. */
    public Template(
        String attempt,
        String resumeFrom,
        long resumeStep,
        List<String> excluded,
        List<String> avoided,
        Map<String, List<String>> preferred,
        String marksOf) {
      this(
          attempt,
          resumeFrom,
          resumeStep,
          excluded,
          avoided,
          preferred,
          marksOf,
          List.of(),
          false,
          true);
    }

    /** The attempt, if the annotations were set on the job of that UID. */
    String attemptOf(String uid) {
      return marksOf.equals(uid) ? attempt : "";
    }

    /** The same with another checkpoint; none is an empty path, and step -1. */
    public Template resumingFrom(String path, long step) {
      return new Template(
          attempt, path, step, excluded, avoided, preferred, marksOf, planned, forMaster, reads);
    }

    /** The same that takes new pods to these nodes. */
    public Template planning(List<String> hostnames) {
      List<String> off = excluded.stream().filter(n -> !hostnames.contains(n)).toList();
      return new Template(
          attempt,
          resumeFrom,
          resumeStep,
          off,
          avoided,
          preferred,
          marksOf,
          hostnames,
          false,
          reads);
    }

    /** The same with the environment that its owner once wrote: Rekindle annotations stay. */
    public Template withOwnEnvironment() {
      return new Template(
          attempt,
          resumeFrom,
          resumeStep,
          excluded,
          avoided,
          preferred,
          marksOf,
          planned,
          forMaster,
          false);
    }

    /**
     * The same with the annotations that its owner once wrote: the affinity that Rekindle wrote
     * stays.
     */
    public Template withOwnAnnotations() {
      return new Template("", "", -1, excluded, avoided, preferred, "", planned, forMaster, false);
    }

    /** The step of the checkpoint that the script is given, -1 for none. */
    public long givenStep() {
      return reads ? resumeStep : -1;
    }
  }

  /**
   * What the operator says.
   *
   * @param suspended condition Suspended
   * @param finish condition Succeeded or Failed
   * @param finishedAt completion time
   * @param message message of that condition
   */
  public record Status(
      boolean suspended, Finish finish, @Nullable Instant finishedAt, String message) {
    static final Status NEW = new Status(false, Finish.NOT_FINISHED, null, "");

    Status suspended(boolean value) {
      return new Status(value, finish, finishedAt, message);
    }

    Status finished(Finish value, Instant at, String why) {
      return new Status(suspended, value, at, why);
    }

    /** Without its Failed condition. */
    public Status revived() {
      return new Status(suspended, Finish.NOT_FINISHED, null, "");
    }
  }

  static JobObject draft(JobSetup setup) {
    return new JobObject(
        Meta.draft(setup.key().namespace(), setup.key().name(), ""),
        setup,
        setup.optIn(),
        false,
        "",
        Template.PLAIN,
        Status.NEW,
        "default",
        "",
        "",
        "");
  }

  /**
   * A copy of it under another name, with all that it carries but its status: {@code kubectl get -o
   * yaml}, edited and applied.
   */
  JobObject copy(JobKey name) {
    Template copied =
        new Template(
            template.attempt(), "", -1, List.of(), List.of(), Map.of(), template.marksOf());
    return new JobObject(
        Meta.draft(name.namespace(), name.name(), ""),
        setup.called(name),
        optIn,
        suspend,
        suspendedMark,
        copied,
        Status.NEW,
        policy,
        marksOf,
        notOurs,
        queue);
  }

  /** The recovery that has suspended it; empty if that was set on another job. */
  public String suspendedBy() {
    return marksOf.equals(meta.uid()) ? suspendedMark : "";
  }

  @Override
  public JobObject with(Meta newMeta) {
    return withMeta(newMeta);
  }

  /** The same, suspended or not, and by whom. */
  public JobObject withSuspend(boolean value, String by) {
    return with(b -> b.suspend(value).suspendedMark(by).marksOf(by.isEmpty() ? "" : meta.uid()));
  }

  /** The same with another template. */
  public JobObject with(Template newTemplate) {
    return withTemplate(newTemplate);
  }

  /** The same with another status. */
  public JobObject with(Status newStatus) {
    return withStatus(newStatus);
  }

  /** The same with another annotation. */
  public JobObject with(OptIn newOptIn) {
    return withOptIn(newOptIn);
  }

  /** The same without annotations of another job, as each write of Rekindle leaves it. */
  public JobObject withOwnAnnotations() {
    Template own = template.marksOf().equals(meta.uid()) ? template : Template.PLAIN;
    return template.marksOf().isEmpty() ? this : withTemplate(own);
  }

  private List<String> copiedAnnotations() {
    List<String> foreign = new ArrayList<>();
    if (!template.attempt().equals(template.attemptOf(meta.uid()))) {
      foreign.add(Annotations.ATTEMPT);
    }
    if (!suspendedMark.equals(suspendedBy())) {
      foreign.add(Annotations.SUSPENDED_BY);
    }
    return foreign;
  }

  /** Its namespace and name. */
  public JobKey key() {
    return setup.key();
  }

  private Replica replica(String type, int count) {
    return new Replica(type, count, setup.restart(), setup.gpusPerRank(), setup.needs());
  }

  /** What the controller keeps of it. */
  public JobView view() {
    List<Replica> replicas = new ArrayList<>();
    Replica master = replica("Master", 1);
    replicas.add(
        setup.volumeNodes() == 0
            ? master
            : master.withNeeds(master.needs().withClaims(List.of(CLAIM))));
    if (setup.ranks() > 1) {
      replicas.add(replica("Worker", setup.ranks() - 1));
    }
    return new JobView(
        setup.key(),
        meta.uid(),
        optIn,
        policy,
        Storage.DIRECTORY,
        setup.readsResumePath(),
        setup.stallTimeout(),
        replicas,
        suspend,
        suspendedBy(),
        status.suspended(),
        template.attemptOf(meta.uid()),
        status.finish(),
        status.finishedAt(),
        status.message(),
        notOurs,
        (long) setup.ranks() * setup.gpusPerRank(),
        setup.way(),
        template.attempt().isEmpty() || !template.reads()
            ? ResumeInjection.NOTHING
            : ResumeInjection.BY_ANNOTATION,
        template.resumeStep() >= 0,
        setup.backoffLimit(),
        copiedAnnotations(),
        template.planned(),
        queue.isEmpty() ? new GangScheduling.None() : new GangScheduling.Kueue(queue, null),
        false,
        setup.tracked(),
        setup.requiresRdma(),
        setup.spares() == 0
            ? SpareWish.NONE
            : new SpareWish(
                setup.spares(),
                replicas.getLast().type(),
                setup.step() + " " + setup.checkpointEvery()),
        setup.beginsUnreachable(),
        setup.graceSeconds() == 0);
  }
}
