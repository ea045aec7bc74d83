package dev.rekindle.simulator.world;

import dev.rekindle.controller.cluster.JobKey;
import dev.rekindle.controller.cluster.JobView;
import dev.rekindle.controller.cluster.JobView.Finish;
import dev.rekindle.controller.cluster.JobView.OptIn;
import dev.rekindle.controller.cluster.JobView.Replica;
import dev.rekindle.controller.cluster.JobView.Told;
import dev.rekindle.simulator.JobSetup;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
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
 * @param suspendedBy annotation of ours, empty when absent
 * @param template of its pods
 * @param status what the operator says
 * @param policy the policy that it names
 */
public record JobObject(
    Meta meta,
    JobSetup setup,
    OptIn optIn,
    boolean suspend,
    String suspendedBy,
    Template template,
    Status status,
    String policy)
    implements ApiObject<JobObject> {

  /**
   * What the pods are made from.
   *
   * @param attempt annotation of ours, empty when absent
   * @param resumeFrom path told by environment, empty when none is
   * @param resumeStep its step, -1 when none is told
   * @param excluded host names that node affinity rules out
   * @param preferred topology label to the values that node affinity prefers
   */
  public record Template(
      String attempt,
      String resumeFrom,
      long resumeStep,
      List<String> excluded,
      Map<String, List<String>> preferred) {
    /** As its owner wrote it. */
    public static final Template PLAIN = new Template("", "", -1, List.of(), Map.of());

    /** The same that tells another checkpoint; none is an empty path, and step -1. */
    public Template telling(String path, long step) {
      return new Template(attempt, path, step, excluded, preferred);
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
        "default");
  }

  @Override
  public JobObject with(Meta newMeta) {
    return new JobObject(newMeta, setup, optIn, suspend, suspendedBy, template, status, policy);
  }

  /** The same, suspended or not, and by whom. */
  public JobObject withSuspend(boolean value, String by) {
    return new JobObject(meta, setup, optIn, value, by, template, status, policy);
  }

  /** The same with another template. */
  public JobObject with(Template newTemplate) {
    return new JobObject(meta, setup, optIn, suspend, suspendedBy, newTemplate, status, policy);
  }

  /** The same with another status. */
  public JobObject with(Status newStatus) {
    return new JobObject(meta, setup, optIn, suspend, suspendedBy, template, newStatus, policy);
  }

  /** The same with another annotation. */
  public JobObject with(OptIn newOptIn) {
    return new JobObject(meta, setup, newOptIn, suspend, suspendedBy, template, status, policy);
  }

  /** The same that names another policy. */
  public JobObject withPolicy(String newPolicy) {
    return new JobObject(meta, setup, optIn, suspend, suspendedBy, template, status, newPolicy);
  }

  /** Its namespace and name. */
  public JobKey key() {
    return setup.key();
  }

  /** What the controller keeps of it. */
  public JobView view() {
    List<Replica> replicas = new ArrayList<>();
    replicas.add(new Replica("Master", 1, setup.restart(), setup.gpusPerRank()));
    if (setup.ranks() > 1) {
      replicas.add(new Replica("Worker", setup.ranks() - 1, setup.restart(), setup.gpusPerRank()));
    }
    return new JobView(
        setup.key(),
        meta.uid(),
        optIn,
        policy,
        Storage.DIRECTORY,
        setup.told(),
        setup.stallTimeout(),
        replicas,
        suspend,
        suspendedBy,
        status.suspended(),
        template.attempt(),
        status.finish(),
        status.finishedAt(),
        status.message(),
        "",
        (long) setup.ranks() * setup.gpusPerRank(),
        setup.way(),
        template.attempt().isEmpty() ? Told.NOTHING : Told.BY_ANNOTATION,
        template.resumeStep() >= 0,
        setup.backoffLimit());
  }
}
