package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;

import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.telemetry.Metrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A cluster that refuses writes on nodes. */
abstract class NodeWritesFixture {
  final RefusedException forbidden =
      new RefusedException(403, "admission webhook \"nodes.example\" denied the request: frozen");
  final Map<String, RuntimeException> refusals = new HashMap<>();
  final List<String> calls = new ArrayList<>();
  final List<ClusterEvent> said = new ArrayList<>();
  Instant now = T0;

  /** Does what it is asked, but for what it refuses. */
  final ClusterGateway gateway =
      (ClusterGateway)
          Proxy.newProxyInstance(
              ClusterGateway.class.getClassLoader(),
              new Class<?>[] {ClusterGateway.class},
              (_, method, args) -> {
                if (method.getName().equals("recordEvent")) {
                  said.add((ClusterEvent) args[0]);
                  return null;
                }
                calls.add(method.getName() + " " + args[0]);
                RuntimeException refusal = refusals.get(method.getName());
                if (refusal != null) {
                  throw refusal;
                }
                return method.getReturnType() == boolean.class ? true : null;
              });

  final Metrics metrics = new Metrics(new PrometheusRegistry());
  final NodeWrites writes = new NodeWrites(gateway, metrics, () -> now);
}
