package dev.rekindle.simulator.world;

import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A RestartOrder.
 *
 * @param meta metadata; owned by its Recovery
 * @param spec what agents are to do
 */
public record OrderObject(Meta meta, RestartOrderSpec spec) implements ApiObject<OrderObject> {
  @Override
  public OrderObject with(Meta newMeta) {
    return new OrderObject(newMeta, spec);
  }

  /** The same, further on. */
  public OrderObject with(RestartOrderSpec newSpec) {
    return new OrderObject(meta, newSpec);
  }

  /** The job whose gang is to be restarted. */
  public JobKey job() {
    return new JobKey(meta.namespace(), spec.job());
  }

  /** Key of the recovery on whose word it was given. */
  public String recovery() {
    return meta.namespace() + "/" + spec.recovery();
  }

  /** What distinguishes the generation that it starts; no annotation of a pod says so. */
  public String generation() {
    return generation(meta.name());
  }

  /** The same, of an order of that name. */
  public static String generation(String name) {
    return name + " in place";
  }

  /** Whether a pod came after it, as far as two time stamps in whole seconds show. */
  public boolean isOlderThan(PodObject pod) {
    return second(pod.meta().created()).isAfter(second(meta.created()));
  }

  private static Instant second(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS);
  }

  /** What the controller keeps of it. */
  public OrderView view() {
    return new OrderView(meta.namespace(), meta.name(), meta.uid(), second(meta.created()), spec);
  }
}
