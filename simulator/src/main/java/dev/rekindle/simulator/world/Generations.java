package dev.rekindle.simulator.world;

import dev.rekindle.api.RestartInstruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The generations of one gang: which orders to restart it in place there were, and to which of them
 * the next process of a container belongs. Agents keep notes of every order that stands, so of a
 * pod that was restarted twice they speak of both: the later order counts.
 */
final class Generations {
  /** An order, and the template that the gang it is for was made from. */
  private static final class Ordered {
    private final String attempt;
    private OrderObject order;
    private boolean stands = true;

    private Ordered(OrderObject order, String attempt) {
      this.order = order;
      this.attempt = attempt;
    }

    /** Whether the order lets the whole gang start again. */
    private boolean frees() {
      return !stands || order.spec().instruction() == RestartInstruction.RESTART_ALL;
    }

    private boolean is(OrderObject other) {
      return order.meta().uid().equals(other.meta().uid());
    }

    private boolean starts(String generation) {
      return order.generation().equals(generation);
    }
  }

  /** By UID of the pod, which generation the next process of its container belongs to. */
  private final Map<String, String> next = new HashMap<>();

  /** Oldest first. */
  private final List<Ordered> orders = new ArrayList<>();

  /** That of the next process in a container of the pod. */
  String next(PodObject pod) {
    return next.computeIfAbsent(pod.meta().uid(), _ -> first(pod));
  }

  private String first(PodObject pod) {
    for (Ordered ordered : orders.reversed()) {
      // Of an order that was withdrawn the whole gang is, also a pod of the same second (10291).
      if (ordered.attempt.equals(pod.template().attempt())
          && (!ordered.stands || ordered.order.isOlderThan(pod))) {
        return ordered.order.generation();
      }
    }
    return pod.template().attempt();
  }

  /** Whether the gang is kept frozen, or the agents have yet to see that the container is again. */
  boolean early(PodObject pod, String generation) {
    return orders.stream()
        .filter(o -> o.stands && o.attempt.equals(pod.template().attempt()))
        .anyMatch(o -> !o.frees() || !o.starts(generation));
  }

  /** Whether an order stands by which nothing of the pod's gang is to run. */
  boolean keepsFrozen(PodObject pod) {
    return orders.stream()
        .anyMatch(
            o ->
                o.stands
                    && o.attempt.equals(pod.template().attempt())
                    && o.order.spec().instruction() == RestartInstruction.FREEZE);
  }

  /** Whether the pod was there before the order that has started its container again. */
  boolean survivor(PodObject pod, String generation) {
    return orders.stream().anyMatch(o -> o.starts(generation) && !o.order.isOlderThan(pod));
  }

  /**
   * Whether an order that stands has started this generation. A container that the kubelet started
   * meanwhile belongs to it as soon as its agent has polled, so its leader is no old one.
   */
  boolean stands(String generation) {
    return orders.stream().anyMatch(o -> o.stands && o.starts(generation));
  }

  boolean anyStands() {
    return orders.stream().anyMatch(o -> o.stands);
  }

  /**
   * An order is there, or says more than before.
   *
   * @return whether it was there, and lets the whole gang start again
   */
  boolean ordered(OrderObject order, String attempt) {
    if (order.spec().instruction() == RestartInstruction.LOOK) {
      // It touches no generation.
      return false;
    }
    Ordered known = find(order);
    if (known == null) {
      orders.add(new Ordered(order, attempt));
      return false;
    }
    known.order = order;
    return known.frees();
  }

  private @Nullable Ordered find(OrderObject order) {
    return orders.stream().filter(o -> o.is(order)).findFirst().orElse(null);
  }

  /**
   * An order is gone.
   *
   * @return the attempt whose gang is one again, of this order; empty where a later one has it
   */
  Optional<String> withdrawn(OrderObject order) {
    Ordered gone = find(order);
    if (gone == null) {
      return Optional.empty();
    }
    gone.stands = false;
    if (orders.stream().anyMatch(o -> isLater(o, gone) && o.attempt.equals(gone.attempt))) {
      return Optional.empty();
    }
    next.replaceAll((_, was) -> from(gone.attempt, was) ? order.generation() : was);
    return Optional.of(gone.attempt);
  }

  /** Whether the generation came from pods of that attempt, maybe by restarts in place. */
  private boolean from(String attempt, String generation) {
    return generation.equals(attempt)
        || orders.stream().anyMatch(o -> o.attempt.equals(attempt) && o.starts(generation));
  }

  /** What the container of the pod runs next belongs to the generation that the order starts. */
  void restarts(String podUid, OrderObject order) {
    next.merge(podUid, order.generation(), (was, started) -> isLater(was, order) ? was : started);
  }

  /** Whether the generation was started by an order that came after that one. */
  boolean isLater(String generation, OrderObject order) {
    Ordered one = find(order);
    return one != null && orders.stream().anyMatch(o -> o.starts(generation) && isLater(o, one));
  }

  private boolean isLater(Ordered one, Ordered other) {
    return orders.indexOf(one) > orders.indexOf(other);
  }
}
