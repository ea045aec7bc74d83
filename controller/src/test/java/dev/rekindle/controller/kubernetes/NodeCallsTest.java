package dev.rekindle.controller.kubernetes;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.kubernetes.convert.NodeReader;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
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
import org.junit.jupiter.api.Test;

/** What is asked of the API server to change a node that the watch has shown. */
@EnableKubernetesMockClient(crud = true)
class NodeCallsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final FenceLimit THREE = FenceLimit.of(3);

  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesClient client;

  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesMockServer server;

  private final FlatState seen = new FlatState(new IgnoredChanges());

  @SuppressWarnings("NullAway.Init") // set before each test
  private NodeCalls calls;

  @BeforeEach
  void start() {
    calls = new NodeCalls(client, new Circuits(() -> false), seen, "rekindle-system", () -> NOW);
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

  private Node node() {
    return client.nodes().withName("n1").get();
  }

  /** The watch shows the node as it is now. */
  private void tell() {
    Node node = node();
    tell(
        Boolean.TRUE.equals(node.getSpec().getUnschedulable()),
        Optional.ofNullable(node.getMetadata().getAnnotations())
            .map(annotations -> annotations.get("rekindle.dev/fenced-by"))
            .orElse(""));
  }

  private void tell(boolean unschedulable, String fencedBy) {
    NodeView view = Given.node("n1", NodeView.Readiness.READY, NOW, unschedulable, fencedBy);
    seen.nodeFeed().present("n1", node().getMetadata().getResourceVersion(), view);
    forget();
  }

  private void forget() {
    var _ = asked();
  }

  /** Calls about the node since the last look. */
  private List<String> asked() {
    return Stream.generate(this::next)
        .takeWhile(Optional::isPresent)
        .flatMap(Optional::stream)
        .filter(request -> request.contains("/nodes/n1"))
        .map(request -> request.replace("/api/v1/nodes/n1", "node"))
        .toList();
  }

  private Optional<String> next() {
    try {
      return Optional.ofNullable(server.takeRequest(1, TimeUnit.MILLISECONDS))
          .map(request -> request.getMethod() + " " + request.getPath());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void refuseThePatch(int code) {
    server
        .expect()
        .patch()
        .withPath("/api/v1/nodes/n1")
        .andReturn(code, new StatusBuilder().withCode(code).withStatus("Failure").build())
        .once();
  }

  @Test
  void shouldCordonAndReleaseWithOneCallWhenTheWatchIsRight() {
    tell();
    assertThat(calls.cordon("n1", "team/r1", "XID 79", THREE)).isTrue();
    assertThat(asked()).containsExactly("PATCH node");
    assertThat(node().getSpec().getUnschedulable()).isTrue();
    tell();
    calls.release("n1");
    assertThat(asked()).containsExactly("PATCH node");
    assertThat(node().getSpec().getUnschedulable()).isNull();
  }

  @Test
  void shouldMeetOnlyTheVersionThatTheWatchToldOf() throws InterruptedException {
    tell();
    String version = node().getMetadata().getResourceVersion();
    forget();
    refuseThePatch(409); // What the stand-in takes itself, it does not show.
    assertThat(calls.cordon("n1", "team/r1", "XID 79", THREE)).isTrue();
    assertThat(bodyOfTheFirstPatch()).contains("\"resourceVersion\":\"" + version + "\"");
  }

  private String bodyOfTheFirstPatch() throws InterruptedException {
    while (true) {
      var request = requireNonNull(server.takeRequest(1, TimeUnit.SECONDS), "no PATCH was made");
      if ("PATCH".equals(request.getMethod())) {
        return request.getBody().readUtf8();
      }
    }
  }

  @Test
  void shouldReadAndTryAgainWhenTheNodeHasChangedSince() {
    tell();
    refuseThePatch(409);
    assertThat(calls.cordon("n1", "team/r1", "XID 79", THREE)).isTrue();
    assertThat(asked()).containsExactly("PATCH node", "GET node", "PATCH node");
    assertThat(node().getMetadata().getAnnotations())
        .containsEntry("rekindle.dev/fenced-by", "team/r1");
  }

  @Test
  void shouldLeaveTheCordonOfSomebodyElseAloneWhenTheWatchDoesNotKnowOfIt() {
    tell();
    client
        .nodes()
        .withName("n1")
        .edit(node -> new NodeBuilder(node).editSpec().withUnschedulable(true).endSpec().build());
    forget();
    refuseThePatch(409);
    assertThat(calls.cordon("n1", "team/r1", "XID 79", THREE)).isFalse();
    assertThat(asked()).containsExactly("PATCH node", "GET node");
    assertThat(node().getMetadata().getAnnotations()).isNullOrEmpty();
  }

  @Test
  void shouldReadWhenTheWatchTellsOfACordonThatIsNoMore() {
    tell(true, "");
    assertThat(calls.cordon("n1", "team/r1", "XID 79", THREE)).isTrue();
    assertThat(asked()).containsExactly("GET node", "PATCH node");
  }

  @Test
  void shouldReadBeforeItTakesANodeForReleasedOrUnknown() {
    calls.release("n1");
    assertThat(asked()).containsExactly("GET node");
    tell();
    calls.release("n1");
    assertThat(asked()).containsExactly("GET node");
  }

  @Test
  void shouldLookAgainWhenTheNodeHasGoneAndTheWatchDoesNotKnow() {
    tell();
    client.nodes().withName("n1").delete();
    forget();
    assertThatThrownBy(() -> calls.cordon("n1", "team/r1", "XID 79", THREE))
        .isInstanceOf(StaleException.class)
        .hasMessageContaining("n1");
  }

  @Test
  void shouldNotCordonAnotherNodeThatHasTheNameSince() {
    NodeView former =
        Given.node("n1", NodeView.Readiness.READY, NOW, false, "").withUid("uid-of-the-former");
    seen.nodeFeed().present("n1", node().getMetadata().getResourceVersion(), former);
    forget();
    refuseThePatch(409);
    assertThatThrownBy(() -> calls.cordon("n1", "team/r1", "XID 79", THREE))
        .isInstanceOf(StaleException.class)
        .hasMessageContaining("another one of the name");
    assertThat(node().getSpec().getUnschedulable()).isNull();
  }

  @Test
  void shouldNotCordonAnotherNodeThatTheWatchShowsWhileWeTry() {
    String version = node().getMetadata().getResourceVersion();
    NodeView present =
        Given.node("n1", NodeView.Readiness.READY, NOW, false, "")
            .withUid(node().getMetadata().getUid());
    seen.nodeFeed().present("n1", version, present.withUid("uid-of-the-former"));
    forget();
    server
        .expect()
        .patch()
        .withPath("/api/v1/nodes/n1")
        .andReply(
            409,
            _ -> {
              seen.nodeFeed().present("n1", version, present);
              return new StatusBuilder().withCode(409).withStatus("Failure").build();
            })
        .once();
    assertThatThrownBy(() -> calls.cordon("n1", "team/r1", "XID 79", THREE))
        .isInstanceOf(StaleException.class)
        .hasMessageContaining("another one of the name");
    assertThat(node().getSpec().getUnschedulable()).isNull();
  }

  @Test
  void shouldNotCordonANodeThatTheWatchHasYetToShow() {
    tell();
    seen.nodeFeed().gone("n1", node().getMetadata().getResourceVersion());
    forget();
    assertThatThrownBy(() -> calls.cordon("n1", "team/r1", "XID 79", THREE))
        .isInstanceOf(StaleException.class)
        .hasMessageContaining("not seen yet");
    assertThat(node().getSpec().getUnschedulable()).isNull();
  }

  @Test
  void shouldBlameTheNodeOnceAndWithoutReadingIt() {
    tell();
    calls.recordIncident("n1", "team/r1");
    assertThat(asked()).containsExactly("PATCH node");
    assertThat(node().getMetadata().getAnnotations()).containsKey("rekindle.dev/troubles");
  }

  @Test
  void shouldWriteDownAStallOnceAndWithoutReadingTheNode() {
    tell();
    NamedStalls.Entry stall =
        new NamedStalls.Entry(Instant.parse("2026-11-21T06:00:00Z"), "team/r1", true, false);
    calls.recordStall("n1", stall);
    assertThat(asked()).containsExactly("PATCH node");
    assertThat(node().getMetadata().getAnnotations())
        .containsEntry("rekindle.dev/stalls", "2026-11-21T06:00:00Z team/r1 device-or-link here");
    assertThat(NodeReader.read(node()).stalls()).contains("team/r1");
  }
}
