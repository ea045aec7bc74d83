package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.NodeView;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;

/** What is asked of the API server to change a node that the watch has shown. */
@EnableKubernetesMockClient(crud = true)
abstract class NodeCallsFixture {
  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  static final FenceLimit THREE = FenceLimit.of(3);

  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesClient client;

  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesMockServer server;

  final FlatState seen = new FlatState(new IgnoredChanges());

  @SuppressWarnings("NullAway.Init") // set before each test
  NodeCalls calls;

  @SuppressWarnings("NullAway.Init") // set before each test
  NodeRecords records;

  @BeforeEach
  void start() {
    Circuits circuits = new Circuits(() -> false);
    calls = new NodeCalls(client, circuits, seen, "rekindle-system", () -> NOW);
    records = new NodeRecords(new NodePatches(client, circuits, seen));
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName("n1")
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build())
        .create();
  }

  Node node() {
    return client.nodes().withName("n1").get();
  }

  /** The watch shows the node as it is now. */
  void show() {
    Node node = node();
    show(
        Boolean.TRUE.equals(node.getSpec().getUnschedulable()),
        Optional.ofNullable(node.getMetadata().getAnnotations())
            .map(annotations -> annotations.get("rekindle.dev/fenced-by"))
            .orElse(""));
  }

  void show(boolean unschedulable, String fencedBy) {
    NodeView view = Given.node("n1", NodeView.Readiness.READY, NOW, unschedulable, fencedBy);
    seen.nodeFeed().present("n1", node().getMetadata().getResourceVersion(), view);
    forget();
  }

  void forget() {
    var _ = asked();
  }

  /** Calls about the node since they were last read. */
  List<String> asked() {
    return Stream.generate(this::next)
        .takeWhile(Optional::isPresent)
        .flatMap(Optional::stream)
        .filter(request -> request.contains("/nodes/n1"))
        .map(request -> request.replace("/api/v1/nodes/n1", "node"))
        .toList();
  }

  Optional<String> next() {
    try {
      return Optional.ofNullable(server.takeRequest(1, TimeUnit.MILLISECONDS))
          .map(request -> request.getMethod() + " " + request.getPath());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  void refuseThePatch(int code) {
    server
        .expect()
        .patch()
        .withPath("/api/v1/nodes/n1")
        .andReturn(code, new StatusBuilder().withCode(code).withStatus("Failure").build())
        .once();
  }
}
