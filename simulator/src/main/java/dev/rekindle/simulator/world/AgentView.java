package dev.rekindle.simulator.world;

import dev.rekindle.detect.pod.TrainingContainer;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.restart.Order;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The pods of its node and all orders, as the watches of one agent's process have shown them. */
final class AgentView {
  private record Seen(PodObject object, TrainingPod pod) {}

  private record Heard(OrderObject object, Order order) {}

  private final World world;
  private final String node;
  private final Map<String, Seen> pods = new HashMap<>();
  private final Map<String, Heard> orders = new HashMap<>();
  private List<TrainingPod> gone = new ArrayList<>();
  private List<TrainingPod> podList = List.of();
  private List<Order> orderList = List.of();
  private boolean synced;

  AgentView(World world, String node) {
    this.world = world;
    this.node = node;
  }

  boolean synced() {
    return synced;
  }

  List<TrainingPod> pods() {
    return podList;
  }

  List<Order> orders() {
    return orderList;
  }

  /** Pods whose object is gone, each once. */
  List<TrainingPod> takeGone() {
    if (gone.isEmpty()) {
      return List.of();
    }
    List<TrainingPod> all = gone;
    gone = new ArrayList<>();
    return all;
  }

  /** It has seen this pod before. */
  void saw(PodObject pod) {
    pods.put(pod.meta().uid(), new Seen(pod, training(pod)));
  }

  /** Everything that the watches would have shown by now. */
  void refresh() {
    seePods();
    seeOrders();
    synced = true;
  }

  /** As of one that has been there all the time, and to which no order ever came. */
  @SuppressWarnings("ReferenceEquality") // Each change makes another object.
  void seePods() {
    List<TrainingPod> now = new ArrayList<>();
    Set<String> there = new HashSet<>();
    for (PodObject pod : world.pods().all()) {
      if (!pod.node().equals(node)) {
        continue;
      }
      String uid = pod.meta().uid();
      Seen before = pods.get(uid);
      if (before == null || before.object() != pod) {
        before = new Seen(pod, training(pod));
        pods.put(uid, before);
      }
      there.add(uid);
      now.add(before.pod());
    }
    if (pods.size() > there.size()) {
      pods.values()
          .removeIf(
              seen -> {
                boolean left = !there.contains(seen.pod().uid());
                if (left) {
                  gone.add(seen.pod());
                }
                return left;
              });
    }
    podList = now;
    synced = true;
  }

  @SuppressWarnings("ReferenceEquality") // Each change makes another object.
  private void seeOrders() {
    List<Order> now = new ArrayList<>();
    for (OrderObject order : world.orders().all()) {
      String uid = order.meta().uid();
      Heard before = orders.get(uid);
      if (before == null || before.object() != order) {
        before = new Heard(order, order(order));
        orders.put(uid, before);
      }
      now.add(before.order());
    }
    orderList = now;
  }

  private TrainingPod training(PodObject pod) {
    PodObject.Status status = pod.status();
    boolean made =
        switch (status.phase()) {
          case RUNNING, SUCCEEDED, FAILED -> true;
          default -> false;
        };
    return new TrainingPod(
        pod.meta().namespace(),
        pod.meta().name(),
        pod.meta().uid(),
        pod.job().name(),
        pod.meta().owner(),
        pod.meta().created().truncatedTo(ChronoUnit.SECONDS),
        pod.meta().terminating(),
        !pod.live(),
        made
            ? new TrainingContainer(
                world.machine(node).container(pod.meta().uid(), status.restarts()),
                status.restarts(),
                status.running())
            : TrainingContainer.NONE,
        Set.of());
  }

  private static Order order(OrderObject order) {
    return new Order(
        order.meta().namespace(),
        order.meta().name(),
        order.meta().uid(),
        order.meta().created().truncatedTo(ChronoUnit.SECONDS),
        order.spec().job(),
        order.spec().jobUid(),
        order.spec().instruction(),
        order.spec().leaderUid(),
        order.spec().until(),
        order.spec().youngest(),
        Boolean.TRUE.equals(order.spec().collectEvidence()),
        order.spec().holdSeconds() == null ? null : Duration.ofSeconds(order.spec().holdSeconds()));
  }
}
