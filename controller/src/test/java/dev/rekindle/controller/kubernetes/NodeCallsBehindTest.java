package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import org.junit.jupiter.api.Test;

/** What is asked where the watch is behind. */
class NodeCallsBehindTest extends NodeCallsFixture {
  @Test
  void shouldReadAndTryAgainWhenTheNodeHasChangedSince() {
    show();
    refuseThePatch(409);
    assertThat(calls.cordon("n1", "team/r1", "XID 79", THREE)).isTrue();
    assertThat(asked()).containsExactly("PATCH node", "GET node", "PATCH node");
    assertThat(node().getMetadata().getAnnotations())
        .containsEntry("rekindle.dev/fenced-by", "team/r1");
  }

  @Test
  void shouldLeaveTheCordonOfAnotherUserAloneWhenTheWatchDoesNotKnowOfIt() {
    show();
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
  void shouldReadWhenTheWatchShowsACordonThatIsNoMore() {
    show(true, "");
    assertThat(calls.cordon("n1", "team/r1", "XID 79", THREE)).isTrue();
    assertThat(asked()).containsExactly("GET node", "PATCH node");
  }

  @Test
  void shouldReadBeforeItTakesANodeForReleasedOrUnknown() {
    calls.release("n1");
    assertThat(asked()).containsExactly("GET node");
    show();
    calls.release("n1");
    assertThat(asked()).containsExactly("GET node");
  }

  @Test
  void shouldRetryWhenTheNodeHasGoneAndTheWatchHasNotSeenIt() {
    show();
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
    show();
    seen.nodeFeed().gone("n1", node().getMetadata().getResourceVersion());
    forget();
    assertThatThrownBy(() -> calls.cordon("n1", "team/r1", "XID 79", THREE))
        .isInstanceOf(StaleException.class)
        .hasMessageContaining("not seen yet");
    assertThat(node().getSpec().getUnschedulable()).isNull();
  }
}
