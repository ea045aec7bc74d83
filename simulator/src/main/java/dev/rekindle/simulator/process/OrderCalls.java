package dev.rekindle.simulator.process;

import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.World;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Calls about the orders that agents follow. */
final class OrderCalls {
  private final World world;
  private final ApiCalls api;
  private final WriteObserver observer;

  OrderCalls(World world, ApiCalls api, WriteObserver observer) {
    this.world = world;
    this.api = api;
    this.observer = observer;
  }

  void order(RecoveryView recovery, String name, RestartOrderSpec spec) {
    api.change(() -> write(recovery, name, spec));
  }

  private void write(RecoveryView recovery, String name, RestartOrderSpec spec) {
    OrderObject order =
        new OrderObject(Meta.draft(recovery.namespace(), name, recovery.uid()), spec);
    Optional<OrderObject> has = api.attempt(() -> world.orders().find(order.meta().key()));
    if (has.isPresent() && has.get().spec().jobUid().equals(spec.jobUid())) {
      moveOn(has.get(), order);
      return;
    }
    has.ifPresent(former -> removeFormer(former, recovery));
    var _ = api.attempt(() -> create(order));
  }

  private OrderObject create(OrderObject order) {
    world.namespaces().admit(order.meta().namespace());
    return ordered(null, world.orders().create(order));
  }

  private void moveOn(OrderObject has, OrderObject order) {
    if (has.spec().instruction().compareTo(order.spec().instruction()) >= 0) {
      return;
    }
    String key = order.meta().key();
    var _ =
        api.attempt(
            () ->
                ordered(
                    has,
                    world.orders().update(key, has.meta().version(), o -> o.with(order.spec()))));
  }

  /** An order for an earlier job of the name. */
  private void removeFormer(OrderObject former, RecoveryView recovery) {
    String key = recovery.namespace() + "/" + recovery.name();
    Optional<String> uid = api.attempt(() -> world.recoveries().find(key).map(r -> r.meta().uid()));
    if (uid.filter(recovery.uid()::equals).isEmpty()) {
      throw new StaleException("recovery " + key + " is gone");
    }
    var _ =
        api.attempt(
            () -> {
              String name = former.meta().key();
              if (world.orders().find(name).isPresent()) {
                observer.withdrew(former);
                world.orders().delete(name, former.meta().uid(), null);
                world.emit(Kind.JOB, former.job().toString(), "order " + name + " withdrawn");
              }
              return name;
            });
  }

  void withdraw(JobKey job, String name) {
    String key = job.namespace() + "/" + name;
    var _ =
        api.find(
            () -> {
              OrderObject order = world.orders().get(key);
              observer.withdrew(order);
              world.emit(Kind.JOB, job.toString(), "order " + name + " withdrawn");
              world.orders().delete(key, "", null);
              return key;
            });
  }

  private OrderObject ordered(@Nullable OrderObject before, OrderObject after) {
    if (world.hasListeners()) {
      world.emit(
          Kind.JOB,
          after.job().toString(),
          "order " + after.meta().name() + ": " + after.spec().instruction());
    }
    observer.ordered(before, after);
    return after;
  }
}
