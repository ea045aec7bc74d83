package dev.rekindle.simulator.world;

import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.detect.restart.Order;
import dev.rekindle.detect.restart.RestartReports;
import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.engine.Fiber;
import dev.rekindle.simulator.world.SimEvent.Kind;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a node's agent to the API server: they take time, may be refused, may be lost before
 * or after their effect, and may be on their way when the agent dies.
 */
final class AgentCalls implements RestartReports {
  /** As the agent's client has it. */
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final World world;
  private final Machine machine;
  private int refusal;
  private Instant refusesUntil = Instant.MIN;
  private @Nullable Runnable sent;
  private boolean failing;

  AgentCalls(World world, Machine machine) {
    this.world = world;
    this.machine = machine;
  }

  /** Writes are answered with this status until then. */
  void refusesUntil(int code, Instant until) {
    refusal = code;
    refusesUntil = until;
  }

  /** Whether the last call was not answered, or refused. */
  boolean failing() {
    return failing;
  }

  @Override
  public @Nullable RestartReport read(Order order) {
    RestartObject stored =
        answered(() -> world.restarts().find(key(order)).orElse(null), /* write= */ false);
    return stored == null || !stored.spec().orderUid().equals(order.uid()) ? null : report(stored);
  }

  @Override
  public RestartReport write(Order order, @Nullable RestartReport before, RestartReportSpec spec) {
    String name = name(order);
    RestartObject written =
        answered(
            () -> {
              if (before == null) {
                world.namespaces().admit(order.namespace());
              }
              RestartReportSpec bent = world.agentLies().of(order.namespace(), name, spec);
              RestartObject stored =
                  before == null
                      ? world
                          .restarts()
                          .create(
                              new RestartObject(
                                  Meta.draft(order.namespace(), name, order.uid()), bent))
                      : world
                          .restarts()
                          .update(
                              key(order),
                              Long.parseLong(before.getMetadata().getResourceVersion()),
                              r -> new RestartObject(r.meta(), bent));
              publish(bent);
              // An agent that is not stolen assumes that its writes were stored.
              return new RestartObject(stored.meta(), spec);
            },
            /* write= */ true);
    if (written == null) {
      throw new IllegalStateException(key(order));
    }
    return report(written);
  }

  private String name(Order order) {
    return order.name() + "." + machine.name();
  }

  private String key(Order order) {
    return order.namespace() + "/" + name(order);
  }

  private static RestartReport report(RestartObject stored) {
    RestartReport report = new RestartReport();
    report.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(stored.meta().namespace())
            .withName(stored.meta().name())
            .withResourceVersion(Long.toString(stored.meta().version()))
            .build());
    report.setSpec(stored.spec());
    return report;
  }

  /** The agent has died: what it had sent may arrive or not. */
  void died() {
    Runnable effect = sent;
    sent = null;
    failing = false;
    if (effect != null && world.heads()) {
      world
          .loop()
          .after(
              world.timing().call(),
              () -> {
                try {
                  effect.run();
                } catch (ApiError refused) {
                  // No fiber waits for this answer.
                }
              });
    }
  }

  /** Makes a call from the agent's fiber. */
  <T extends @Nullable Object> T answered(Supplier<T> effect, boolean write) {
    failing = true;
    if (!machine.connected || world.controlPlane().apiAway()) {
      Fiber.sleep(world.heads() ? TIMEOUT : world.timing().call());
      throw unanswered();
    }
    if (write && refusesUntil.isAfter(world.now())) {
      Fiber.sleep(world.timing().call());
      throw new KubernetesClientException("refused", refusal, null);
    }
    NodeAgents.CallOutcome outcome = world.nodeAgents().nextCall();
    if (outcome == NodeAgents.CallOutcome.LOST) {
      Fiber.sleep(TIMEOUT);
      throw unanswered();
    }
    List<T> answer = new ArrayList<>(1);
    Runnable call = () -> answer.add(effect.get());
    sent = call;
    Fiber.sleep(world.timing().call());
    sent = null;
    try {
      call.run();
    } catch (ApiError error) {
      throw new KubernetesClientException(String.valueOf(error.getMessage()), error.code(), null);
    }
    if (outcome == NodeAgents.CallOutcome.UNHEARD) {
      Fiber.sleep(TIMEOUT);
      throw unanswered();
    }
    failing = false;
    return answer.getFirst();
  }

  private static KubernetesClientException unanswered() {
    return new KubernetesClientException("no answer", 0, null);
  }

  private void publish(RestartReportSpec spec) {
    if (world.hasListeners()) {
      world.emit(
          Kind.AGENT,
          machine.name(),
          "reports on %s: %s%s %s"
              .formatted(
                  spec.order(),
                  spec.done() == null ? "nothing done" : spec.done(),
                  spec.problem().isEmpty() ? "" : ", " + spec.problem(),
                  spec.pods().stream()
                      .map(p -> p.pod() + " " + p.state() + " " + p.restartCount())
                      .toList()));
    }
  }
}
