package dev.rekindle.testbed.scale;

import dev.rekindle.api.ReportName;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Plays the agents of all nodes where a gang is restarted in place: takes as long as a real one to
 * freeze and to kill, and writes the same objects at the same moments. It freezes nothing: on kwok
 * nodes nothing runs.
 */
final class Agents implements AutoCloseable {
  /** What freezing or killing one container takes, from the order's arrival to the report. */
  static final Duration FASTEST = Duration.ofMillis(20);

  static final Duration SLOWEST = Duration.ofMillis(60);

  private record Held(Pod pod, PodRestart entry, RestartReport report) {}

  private final Api api;
  private final Gang gang;
  private final Kubelets kubelets;
  private final Milestones moments;
  private final SharedIndexInformer<RestartOrder> informer;
  private final Map<String, CompletableFuture<Held>> held = new ConcurrentHashMap<>();
  private final Set<String> obeyed = ConcurrentHashMap.newKeySet();
  private final AtomicInteger creations = new AtomicInteger();
  private final AtomicInteger updates = new AtomicInteger();

  Agents(Api api, String namespace, Gang gang, Kubelets kubelets, Milestones moments) {
    this.api = api;
    this.gang = gang;
    this.kubelets = kubelets;
    this.moments = moments;
    informer =
        api.client().resources(RestartOrder.class).inNamespace(namespace).inform(new Handler());
  }

  /** Reports created. */
  int creations() {
    return creations.get();
  }

  /** Reports updated. */
  int updates() {
    return updates.get();
  }

  @Override
  public void close() {
    informer.close();
  }

  private void obey(RestartOrder order) {
    RestartInstruction instruction = order.getSpec().instruction();
    Instant seen = Instant.now();
    if (!obeyed.add(order.getMetadata().getUid() + instruction)) {
      return;
    }
    switch (instruction) {
      case LOOK -> {
        // No gang of the measurement stalls.
      }
      case FREEZE -> {
        moments.first(Milestone.FREEZE_ORDERED, seen);
        List<Pod> pods = gang.pods().stream().filter(Kubelets::runs).toList();
        AtomicInteger left = new AtomicInteger(pods.size());
        pods.forEach(pod -> held.put(pod.getMetadata().getUid(), new CompletableFuture<>()));
        pods.forEach(pod -> begin(() -> freeze(order, pod, left)));
      }
      case RESTART_LEADER -> {
        moments.first(Milestone.LEADER_ORDERED, seen);
        CompletableFuture<Held> leader = held.get(order.getSpec().leaderUid());
        if (leader != null) {
          begin(() -> killLeader(leader.join()));
        }
      }
      case RESTART_ALL -> {
        moments.first(Milestone.ALL_ORDERED, seen);
        // An order may be seen before the answer to the report that it follows.
        List<CompletableFuture<Held>> all =
            held.entrySet().stream()
                .filter(one -> gang.pod(one.getKey()) != null)
                .map(Map.Entry::getValue)
                .toList();
        AtomicInteger left = new AtomicInteger(all.size());
        all.forEach(one -> begin(() -> restart(one.join(), left)));
      }
    }
  }

  private static void begin(Runnable work) {
    Thread.startVirtualThread(
        () -> {
          try {
            work.run();
          } catch (RuntimeException e) {
            // The recovery will not see this node confirm, and goes another way.
            System.err.println("  a stand-in failed: " + e);
          }
        });
  }

  private static void work() {
    long spread = SLOWEST.minus(FASTEST).toMillis();
    Api.sleep(FASTEST.plusMillis(ThreadLocalRandom.current().nextLong(spread + 1)));
  }

  private void freeze(RestartOrder order, Pod pod, AtomicInteger left) {
    work();
    ContainerStatus container = Kubelets.training(pod);
    String node = pod.getSpec().getNodeName();
    PodRestart entry =
        new PodRestart(
            pod.getMetadata().getName(),
            pod.getMetadata().getUid(),
            id(container),
            container.getRestartCount(),
            "cgroup-v2",
            State.FROZEN);
    RestartReport report = new RestartReport();
    report.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(order.getMetadata().getNamespace())
            .withName(ReportName.ofOrder(order.getMetadata().getName(), node))
            .addNewOwnerReference()
            .withApiVersion("rekindle.dev/v1alpha1")
            .withKind("RestartOrder")
            .withName(order.getMetadata().getName())
            .withUid(order.getMetadata().getUid())
            .endOwnerReference()
            .build());
    report.setSpec(
        new RestartReportSpec(
            order.getMetadata().getName(),
            order.getMetadata().getUid(),
            node,
            order.getSpec().job(),
            RestartInstruction.FREEZE,
            "",
            List.of(entry),
            Instant.now()));
    RestartReport stored = api.call(() -> api.client().resource(report).create());
    creations.incrementAndGet();
    keep(new Held(pod, entry, stored));
    if (left.decrementAndGet() == 0) {
      moments.first(Milestone.FROZEN, Instant.now());
    }
  }

  private void killLeader(Held leader) {
    work();
    CompletableFuture<Held> killed = new CompletableFuture<>();
    held.put(leader.entry().podUid(), killed);
    begin(() -> kubelets.restart(leader.pod()));
    report(leader, RestartInstruction.RESTART_LEADER, State.KILLED);
    moments.first(Milestone.LEADER_DEAD, Instant.now());
  }

  private void restart(Held one, AtomicInteger left) {
    if (one.entry().state() == State.FROZEN) {
      work();
      kubelets.restart(one.pod());
    }
    String uid = one.entry().podUid();
    var _ =
        gang.await(
            uid, pod -> Kubelets.training(pod).getRestartCount() > one.entry().restartCount());
    report(one, RestartInstruction.RESTART_ALL, State.RESTARTED);
    if (left.decrementAndGet() == 0) {
      moments.first(Milestone.RESTARTED, Instant.now());
    }
  }

  private void report(Held one, RestartInstruction done, State state) {
    PodRestart old = one.entry();
    PodRestart entry =
        new PodRestart(
            old.pod(), old.podUid(), old.containerId(), old.restartCount(), old.how(), state);
    RestartReport report = one.report();
    RestartReportSpec before = report.getSpec();
    report.setSpec(
        new RestartReportSpec(
            before.order(),
            before.orderUid(),
            before.node(),
            before.job(),
            done,
            "",
            List.of(entry),
            Instant.now()));
    RestartReport stored = api.call(() -> api.client().resource(report).update());
    updates.incrementAndGet();
    keep(new Held(one.pod(), entry, stored));
  }

  private void keep(Held one) {
    CompletableFuture<Held> first = held.get(one.entry().podUid());
    if (first == null || !first.complete(one)) {
      held.put(one.entry().podUid(), CompletableFuture.completedFuture(one));
    }
  }

  private static String id(ContainerStatus container) {
    String id = container.getContainerID();
    return id == null ? "" : id.substring(id.indexOf("://") + 3);
  }

  private final class Handler implements ResourceEventHandler<RestartOrder> {
    @Override
    public void onAdd(RestartOrder order) {
      obey(order);
    }

    @Override
    public void onUpdate(RestartOrder old, RestartOrder order) {
      obey(order);
    }

    @Override
    public void onDelete(RestartOrder order, boolean unknown) {
      held.clear();
    }
  }
}
