package dev.rekindle.testbed.scale;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.kubeflow.v1.PyTorchJob;

/** One fault on one node of a gang that trains, and what becomes of it. */
final class Recover implements AutoCloseable {
  private static final String NAMESPACE = "default";
  private static final Duration PATIENCE = Duration.ofMinutes(40);
  private static final Duration TICK = Duration.ofMillis(100);
  private static final int AGENT_CALLS = 64;
  private static final int REPORT_CALLS = 32;
  private static final ResourceDefinitionContext JOBS =
      ResourceDefinitionContext.fromResourceType(PyTorchJob.class);

  /**
   * What to do.
   *
   * @param kubeconfig administrator
   * @param job name of the job
   * @param pods size of its gang
   * @param way name of the way, for the result
   * @param reports how often each agent reports its rank; zero for once, and then only news
   * @param audit log of the API server
   */
  record Request(Path kubeconfig, String job, int pods, String way, Duration reports, Path audit) {}

  private final Request request;
  private final Milestones moments = new Milestones();
  private final Api agentApi;
  private final Api rankApi;
  private final Kubelets kubelets;
  private final Gang gang;
  private final Agents agents;
  private final Ranks ranks;
  private final SharedIndexInformer<GenericKubernetesResource> jobs;
  private final SharedIndexInformer<Recovery> recoveries;
  private final Set<String> old = ConcurrentHashMap.newKeySet();
  private final Set<String> running = ConcurrentHashMap.newKeySet();
  private final CompletableFuture<Recovery> ended = new CompletableFuture<>();
  private volatile @Nullable Pod victim;
  private volatile boolean suspended;

  Recover(Request request) {
    this.request = request;
    agentApi = new Api(request.kubeconfig(), AGENT_CALLS);
    rankApi = new Api(request.kubeconfig(), REPORT_CALLS);
    kubelets = new Kubelets(agentApi);
    gang = new Gang(agentApi, NAMESPACE, request.job(), this::podChanged);
    agents = new Agents(agentApi, NAMESPACE, gang, kubelets, moments);
    ranks = new Ranks(rankApi, gang, request.job(), request.pods(), request.reports(), moments);
    jobs =
        agentApi
            .client()
            .genericKubernetesResources(JOBS)
            .inNamespace(NAMESPACE)
            .inform(new Handler<>(this::jobChanged));
    recoveries =
        agentApi
            .client()
            .resources(Recovery.class)
            .inNamespace(NAMESPACE)
            .inform(new Handler<>(this::recoveryChanged));
  }

  /** Lets the gang train, breaks a node of it, and reports the outcome. */
  Map<String, Object> run() {
    say("%d ranks train: a report from each agent".formatted(request.pods()));
    ranks.start();
    ranks.round();
    Instant asked = Instant.now();
    ranks.round();
    double round = Duration.between(asked, Instant.now()).toMillis() / 1000.0;
    Pod broken =
        gang.pods().stream()
            .filter(p -> p.getMetadata().getName().endsWith("-worker-" + (request.pods() / 2 - 1)))
            .findFirst()
            .orElseThrow();
    String node = broken.getSpec().getNodeName();
    gang.pods().forEach(p -> old.add(p.getMetadata().getUid()));
    Requests before = Requests.read(agentApi.client());
    int reportsBefore = ranks.writes();
    victim = broken;
    ranks.stall();
    moments.first(Milestone.FAULT, Instant.now());
    NodeFault fault = agentApi.client().resource(fault(node)).create();
    say("XID 79 on " + node);
    Recovery recovery;
    try {
      recovery = ended.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException("the recovery has not ended", e);
    }
    Map<String, Long> requests = Requests.read(agentApi.client()).since(before);
    Audit audit = audit();
    audit.refine(moments, broken.getMetadata().getName());
    Map<String, Object> result = result(recovery, round, requests, ranks.writes() - reportsBefore);
    result.put("controllerCalls", audit.ours());
    say("%s after %s s".formatted(result.get("phase"), result.get("total")));
    agentApi.client().resource(fault).delete();
    awaitReleased(node);
    return result;
  }

  private Audit audit() {
    try (Stream<String> lines = Files.lines(request.audit())) {
      return Audit.of(lines, moments.at(Milestone.FAULT).orElseThrow());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<String, Object> result(
      Recovery recovery, double round, Map<String, Long> requests, int rankReports) {
    RecoveryStatus status = recovery.getStatus();
    Plan plan = status.plan();
    List<Milestones.Part> parts = moments.parts();
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("pods", request.pods());
    result.put("way", request.way());
    result.put("plan", plan == null ? "" : plan.restart());
    result.put("reason", plan == null ? "" : plan.restartReason());
    result.put("phase", String.valueOf(status.phase()));
    result.put("attempt", status.attempt());
    Instant fault = moments.at(Milestone.FAULT).orElseThrow();
    Instant end = moments.at(Milestone.RECOVERED).orElseThrow();
    result.put("total", Duration.between(fault, end).toMillis() / 1000.0);
    result.put("standInSeconds", round(standInSeconds(plan)));
    result.put("added", round(added(parts)));
    result.put("parts", parts);
    result.put("roundOfReports", round);
    result.put("rankReports", rankReports);
    result.put("restartReportsCreated", agents.creations());
    result.put("restartReportsUpdated", agents.updates());
    result.put("containersRestarted", kubelets.started());
    result.put("requests", requests);
    result.put(
        "timeline",
        status.timeline().stream()
            .map(e -> "%s %s: %s".formatted(e.time(), e.phase().word(), e.detail()))
            .toList());
    return result;
  }

  /** What the stand-ins' delays alone would make of it, were every call answered at once. */
  private double standInSeconds(@Nullable Plan plan) {
    if (plan == null || plan.restart() != RestartWay.IN_PLACE) {
      return Kubelets.START.toMillis() / 1000.0;
    }
    boolean leader = moments.at(Milestone.LEADER_ORDERED).isPresent();
    long works = leader ? 3 : 2;
    return Agents.SLOWEST.multipliedBy(works).plus(Kubelets.START).toMillis() / 1000.0;
  }

  private static double added(List<Milestones.Part> parts) {
    return parts.stream().filter(Milestones.Part::own).mapToDouble(Milestones.Part::seconds).sum();
  }

  private static double round(double seconds) {
    return Math.round(seconds * 1000) / 1000.0;
  }

  private static NodeFault fault(String node) {
    NodeFault fault = new NodeFault();
    fault.setMetadata(new ObjectMetaBuilder().withName(node + "-scale-xid-79").build());
    fault.setSpec(
        new NodeFaultSpec(
            node,
            ComponentType.GPU,
            "0000:3b:00",
            "XID-79",
            "kmsg",
            FenceGuidance.ALWAYS,
            "reboot",
            "",
            Instant.now(),
            "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus."));
    return fault;
  }

  /** Its fence is lifted with the fault, so that the next fault finds the breaker closed. */
  private void awaitReleased(String name) {
    while (true) {
      Node node = agentApi.client().nodes().withName(name).get();
      if (!Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
        return;
      }
      Api.sleep(TICK);
    }
  }

  private void podChanged(Pod pod, boolean gone) {
    Pod broken = victim;
    if (broken == null) {
      return;
    }
    Instant now = Instant.now();
    String uid = pod.getMetadata().getUid();
    if (old.contains(uid)) {
      if (uid.equals(broken.getMetadata().getUid())
          && (gone || pod.getMetadata().getDeletionTimestamp() != null)) {
        moments.first(Milestone.DELETED, now);
      }
      lookDrained(now);
      return;
    }
    if (gone) {
      running.remove(uid);
      return;
    }
    boolean runs = Kubelets.runs(pod);
    if (pod.getMetadata().getName().equals(broken.getMetadata().getName())) {
      if (pod.getSpec().getNodeName() != null) {
        moments.first(Milestone.PLACED, now);
      }
      if (runs) {
        moments.first(Milestone.REPLACED, now);
      }
    }
    if (runs && running.add(uid) && running.size() == request.pods()) {
      moments.first(Milestone.RUNNING, now);
    }
  }

  private void lookDrained(Instant now) {
    if (suspended && gang.size() == 0) {
      moments.first(Milestone.DRAINED, now);
    }
  }

  private void jobChanged(GenericKubernetesResource job) {
    if (victim == null || !job.getMetadata().getName().equals(request.job())) {
      return;
    }
    Instant now = Instant.now();
    if (Boolean.TRUE.equals(job.get("spec", "runPolicy", "suspend"))) {
      moments.first(Milestone.SUSPENDED, now);
      suspended = isSuspended(job);
      lookDrained(now);
    } else if (moments.at(Milestone.SUSPENDED).isPresent()) {
      suspended = false;
      moments.first(Milestone.RESUMED, now);
    }
  }

  private static boolean isSuspended(GenericKubernetesResource job) {
    return job.get("status", "conditions") instanceof List<?> conditions
        && conditions.stream()
            .anyMatch(
                c ->
                    c instanceof Map<?, ?> condition
                        && "Suspended".equals(condition.get("type"))
                        && "True".equals(condition.get("status")));
  }

  private void recoveryChanged(Recovery recovery) {
    RecoveryStatus status = recovery.getStatus();
    RecoveryPhase phase = status == null ? null : status.phase();
    Instant fault = moments.at(Milestone.FAULT).orElse(null);
    Instant since = status == null ? null : status.phaseSince();
    if (phase == null || fault == null || since == null || since.isBefore(fault)) {
      return;
    }
    if (phase.isTerminal()) {
      moments.first(Milestone.RECOVERED, Instant.now());
      ended.complete(recovery);
    }
  }

  private static void say(String text) {
    System.err.println("  " + text);
  }

  @Override
  public void close() {
    ranks.close();
    agents.close();
    jobs.close();
    recoveries.close();
    gang.close();
    agentApi.close();
    rankApi.close();
  }

  /** Passes to the one listener what is there and every change. */
  private record Handler<T>(java.util.function.Consumer<T> changed)
      implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T object) {
      changed.accept(object);
    }

    @Override
    public void onUpdate(T before, T object) {
      changed.accept(object);
    }

    @Override
    public void onDelete(T object, boolean unknown) {}
  }
}
