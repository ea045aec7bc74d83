package dev.rekindle.controller.kubernetes;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.kubernetes.convert.NodeReader;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeView;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is asked of the API server to change a node that the watch has shown. */
class NodeCallsTest extends NodeCallsFixture {
  @Test
  void shouldCordonAndReleaseWithOneCallWhenTheWatchIsRight() {
    show();
    assertThat(calls.cordon("n1", "team/r1", "XID 79", THREE)).isTrue();
    assertThat(asked()).containsExactly("PATCH node");
    assertThat(node().getSpec().getUnschedulable()).isTrue();
    show();
    calls.release("n1");
    assertThat(asked()).containsExactly("PATCH node");
    assertThat(node().getSpec().getUnschedulable()).isNull();
  }

  /** Else the approval of one fence would approve the next one. */
  @Test
  void shouldTakeTheApprovalOffWithTheFence() {
    client.resource(node()).accept(n -> n.getMetadata().setAnnotations(approved()));
    show();
    assertThat(calls.cordon("n1", "team/r1", "XID 79", THREE)).isTrue();
    assertThat(node().getMetadata().getAnnotations())
        .containsEntry(Annotations.APPROVE_FENCE, "n1.gpu.xid-79");
    show();
    calls.release("n1");
    // The stand-in keeps a key whose value was taken away.
    assertThat(node().getMetadata().getAnnotations().get(Annotations.APPROVE_FENCE)).isNull();
    assertThat(node().getMetadata().getAnnotations().get(Annotations.FENCED_BY)).isNull();
  }

  private static Map<String, String> approved() {
    return Map.of(Annotations.APPROVE_FENCE, "n1.gpu.xid-79");
  }

  @Test
  void shouldMeetOnlyTheVersionThatTheWatchShowed() throws InterruptedException {
    show();
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
  void shouldBlameTheNodeOnceAndWithoutReadingIt() {
    show();
    records.recordIncident("n1", "team/r1", NOW.minusSeconds(60));
    assertThat(asked()).containsExactly("PATCH node");
    assertThat(node().getMetadata().getAnnotations())
        .containsEntry("rekindle.dev/incidents", NOW.minusSeconds(60) + " team/r1");
  }

  @Test
  void shouldWriteDownAStallOnceAndWithoutReadingTheNode() {
    show();
    NamedStalls.Entry stall =
        new NamedStalls.Entry(Instant.parse("2026-11-21T06:00:00Z"), "team/r1", true, false);
    records.recordStall("n1", stall);
    assertThat(asked()).containsExactly("PATCH node");
    assertThat(node().getMetadata().getAnnotations())
        .containsEntry("rekindle.dev/stalls", "2026-11-21T06:00:00Z team/r1 device-or-link here");
    assertThat(NodeReader.read(node()).stalls()).contains("team/r1");
  }

  /** A machine that was exchanged comes again under the same name. */
  @Test
  void shouldBlameNoNodeThatWasCreatedLater() {
    NamedStalls.Entry stall = new NamedStalls.Entry(NOW, "team/r1", true, false);
    createdAt(NOW.plusSeconds(1));
    records.recordIncident("n1", "team/r1", NOW);
    records.recordStall("n1", stall);
    assertThat(asked()).isEmpty();
    createdAt(NOW);
    records.recordIncident("n1", "team/r1", NOW);
    assertThat(asked()).containsExactly("PATCH node");
    createdAt(NOW);
    records.recordStall("n1", stall);
    assertThat(asked()).containsExactly("PATCH node");
  }

  private void createdAt(Instant created) {
    NodeView view = Given.node("n1", NodeView.Readiness.READY, NOW, false, "");
    seen.nodeFeed()
        .present("n1", node().getMetadata().getResourceVersion(), view.withCreated(created));
    forget();
  }
}
