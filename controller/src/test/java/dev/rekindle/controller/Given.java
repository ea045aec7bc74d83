package dev.rekindle.controller;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RankReportStatus.RestartAsked;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.JobView.ResumeInjection;
import dev.rekindle.controller.model.NodeRoom;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.controller.model.SpareWish;
import dev.rekindle.controller.model.WorkloadView;
import dev.rekindle.detect.node.NodeSigns;
import dev.rekindle.detect.node.PodDevices;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Views for tests: a job of one master and two workers, and what can befall it. */
public final class Given {
  public static final Instant T0 = Instant.parse("2026-11-21T06:00:00Z");
  private static final JobKey KEY = new JobKey("team", "demo");
  private static final String UID = "job-uid";

  private Given() {}

  /** A job under change: each call changes this one. */
  public static final class Job {
    private OptIn optIn = new OptIn.Yes(Mode.AUTO);
    private RestartPolicy restart = RestartPolicy.ON_FAILURE;
    private boolean suspended;
    private String suspendedBy = "";
    private boolean suspensionSeen;
    private Finish finish = Finish.NOT_FINISHED;
    private @Nullable Instant finishedAt;
    private String finishMessage = "";
    private String notOurs = "";
    private @Nullable Duration stallTimeout;
    private String attempt = "";
    private @Nullable RestartMode restartMode;
    private @Nullable Integer backoffLimit;
    private ResumeInjection injection = ResumeInjection.NOTHING;
    private boolean templateNamesCheckpoint;
    private int workers = 2;

    /** A gang of another size. */
    public Job workers(int value) {
      workers = value;
      return this;
    }

    public Job optIn(OptIn value) {
      optIn = value;
      return this;
    }

    public Job restart(RestartPolicy value) {
      restart = value;
      return this;
    }

    public Job suspended(String by, boolean seen) {
      suspended = true;
      suspendedBy = by;
      suspensionSeen = seen;
      return this;
    }

    public Job failed(Instant at, String message) {
      finish = Finish.FAILED;
      finishedAt = at;
      finishMessage = message;
      return this;
    }

    public Job succeeded(Instant at) {
      finish = Finish.SUCCEEDED;
      finishedAt = at;
      return this;
    }

    public Job notOurs(String why) {
      notOurs = why;
      return this;
    }

    public Job stallTimeout(Duration value) {
      stallTimeout = value;
      return this;
    }

    public Job attempt(String value) {
      attempt = value;
      return this;
    }

    /** Its templates name a checkpoint. */
    public Job injection(ResumeInjection value) {
      injection = value;
      templateNamesCheckpoint = value == ResumeInjection.BY_ANNOTATION;
      return this;
    }

    public Job backoffLimit(int value) {
      backoffLimit = value;
      return this;
    }

    public Job restartMode(RestartMode value) {
      restartMode = value;
      return this;
    }

    public JobView view() {
      return new JobView(
          KEY,
          UID,
          optIn,
          "default",
          "/ckpt",
          true,
          stallTimeout,
          replicas(restart, workers),
          suspended,
          suspendedBy,
          suspensionSeen,
          attempt,
          finish,
          finishedAt,
          finishMessage,
          notOurs,
          24,
          restartMode,
          injection,
          templateNamesCheckpoint,
          backoffLimit,
          List.of(),
          List.of(),
          new GangScheduling.None(),
          false,
          false,
          false,
          SpareWish.NONE,
          false,
          false);
    }
  }

  /** An opted-in job that trains, with checkpoints in {@code /ckpt}. */
  public static Job job() {
    return new Job();
  }

  private static List<Replica> replicas(RestartPolicy policy, int workers) {
    return List.of(new Replica("Master", 1, policy, 8), new Replica("Worker", workers, policy, 8));
  }

  /** The Workload of that job, admitted to ClusterQueue cq. */
  public static WorkloadView workload() {
    return new WorkloadView(
        KEY.namespace(), "pytorchjob-demo", KEY, UID, true, "", "cq", true, true, false, false, "");
  }

  /** Pods of a generation, pod i on node-i, running and ready. */
  public static List<PodView> gang(String attempt) {
    return List.of(
        pod("master", 0, "node-0", attempt),
        pod("worker", 0, "node-1", attempt),
        pod("worker", 1, "node-2", attempt));
  }

  /** The gang with more workers, on the nodes that it has. */
  public static List<PodView> bigGang(int workers) {
    return Stream.concat(
            Stream.of(pod("master", 0, "node-0", "")),
            IntStream.range(0, workers).mapToObj(i -> pod("worker", i, "node-" + (1 + i % 2), "")))
        .toList();
  }

  /** One running pod. */
  private static PodView pod(String role, int index, String node, String attempt) {
    String name = "demo-" + role + "-" + index;
    return new PodView(
        KEY,
        name,
        name + "@" + attempt,
        UID,
        role,
        index,
        node,
        Phase.RUNNING,
        true,
        30,
        null,
        null,
        attempt,
        0,
        null,
        null,
        T0,
        8,
        PodDevices.UNKNOWN,
        "",
        Amounts.NONE,
        GangScheduling.Group.NONE,
        List.of());
  }

  /** The pod after its container ended for good. */
  public static PodView failed(PodView p, Instant at, String message) {
    return p.with(
        b ->
            b.phase(Phase.FAILED)
                .ready(false)
                .lastExit(at)
                .failure(new PodView.Failure("Signal", false, message)));
  }

  /** The pod after the kubelet restarted its container. */
  public static PodView restarted(PodView p, Instant at) {
    return p.with(
        b ->
            b.phase(Phase.RUNNING)
                .ready(true)
                .restarts(p.restarts() + 1)
                .lastExit(at)
                .failure(null));
  }

  /** A pod whose image cannot be pulled. */
  public static PodView unstartable(PodView p) {
    return p.with(
        b ->
            b.phase(Phase.PENDING)
                .ready(false)
                .failure(new PodView.Failure("ImagePull", true, "image cannot be pulled")));
  }

  /** A pod that the scheduler finds no place for. */
  public static PodView unplaced(PodView p) {
    return p.with(
        b ->
            b.node("")
                .phase(Phase.PENDING)
                .ready(false)
                .failure(new PodView.Failure("Unschedulable", false, "0/4 nodes are available")));
  }

  /** A Ready node. */
  public static NodeView node(String name) {
    return node(name, Readiness.READY, T0, false, "");
  }

  /** A node. */
  public static NodeView node(
      String name, Readiness readiness, Instant since, boolean cordoned, String fencedBy) {
    return new NodeView(
        name,
        name + ".host",
        readiness,
        since,
        cordoned,
        false,
        fencedBy,
        8,
        Map.of("leaf", "leaf-" + (name.charAt(name.length() - 1) - '0') / 2),
        NodeSigns.NONE,
        "boot-1",
        null,
        "",
        null,
        "",
        "",
        "",
        "",
        NodeRoom.UNKNOWN,
        null);
  }

  /** Four Ready nodes. */
  public static Map<String, NodeView> nodes() {
    return Map.of(
        "node-0",
        node("node-0"),
        "node-1",
        node("node-1"),
        "node-2",
        node("node-2"),
        "node-3",
        node("node-3"));
  }

  /** An active fault of a GPU. */
  public static FaultView fault(String node, String code, FenceGuidance fence) {
    return new FaultView(
        node + "-" + code,
        node,
        "GPU 0000:3b:00",
        code,
        fence,
        true,
        1,
        T0,
        "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.",
        "kmsg",
        "reboot_node",
        "boot-1",
        "",
        List.of(),
        null,
        "",
        "");
  }

  /** Reports of all ranks of a gang: last step at {@code stepped}, polled at {@code observed}. */
  public static List<RankView> ranks(
      List<PodView> pods, @Nullable Long step, @Nullable Instant stepped, Instant observed) {
    return pods.stream().map(p -> rank(p, step, stepped, observed)).toList();
  }

  /** Report of one rank. */
  public static RankView rank(
      PodView p, @Nullable Long step, @Nullable Instant stepped, Instant observed) {
    Long first = step == null ? null : Math.min(step, 1L);
    return new RankView(
        p.job(),
        p.name(),
        p.uid(),
        p.node(),
        p.restarts(),
        first,
        step,
        stepped,
        stepped,
        observed,
        null,
        null,
        false,
        false,
        null,
        null,
        null,
        null);
  }

  /** The report of a rank whose script requests a restart. */
  public static RankView asking(RankView r, String reason, @Nullable Long beforeStep, Instant at) {
    return r.withAsked(new RestartAsked(reason, beforeStep, at));
  }

  /** A recovery with a status. */
  public static RecoveryView recovery(String name, Instant detected, RecoveryStatus status) {
    return new RecoveryView(
        KEY.namespace(),
        name,
        "uid-" + name,
        "1",
        new RecoverySpec(JobRef.pyTorchJob(KEY.name(), UID), detected, null),
        status);
  }
}
