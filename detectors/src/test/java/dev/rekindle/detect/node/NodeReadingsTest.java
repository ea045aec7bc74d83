package dev.rekindle.detect.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.node.NodeReading.State;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeReadingsTest {
  private static NodeReading read(String json) {
    return NodeReadings.read(Serialization.unmarshal(json, Node.class));
  }

  private static String node(String spec, String status) {
    return """
    {"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":%s,"status":%s}\
    """
        .formatted(spec, status);
  }

  @ParameterizedTest
  @CsvSource({
    "True,KubeletReady,READY",
    "False,KubeletNotReady,NOT_READY",
    "Unknown,NodeStatusUnknown,SILENT"
  })
  void shouldReadStateAndSinceWhenReadyConditionIsThere(String status, String reason, State state) {
    var reading =
        read(
            node(
                "{}",
                """
                {"nodeInfo":{"bootID":"b-1"},"conditions":[
                  {"type":"MemoryPressure","status":"Unknown"},
                  {"type":"Ready","status":"%s","reason":"%s","message":"m",
                   "lastTransitionTime":"2026-01-01T00:00:01Z"}]}\
                """
                    .formatted(status, reason)));
    assertThat(reading)
        .isEqualTo(
            new NodeReading(
                state,
                Instant.parse("2026-01-01T00:00:01Z"),
                false,
                false,
                "b-1",
                "Ready is " + status + " (" + reason + "): m"));
  }

  @Test
  void shouldReadCordonAndOutOfServiceWhenSpecSaysSo() {
    var reading =
        read(
            node(
                """
                {"unschedulable":true,"taints":[
                  {"key":"node.kubernetes.io/out-of-service","value":"nodeshutdown","effect":"NoExecute"}]}\
                """,
                "{}"));
    assertThat(reading.unschedulable()).isTrue();
    assertThat(reading.outOfService()).isTrue();
    var tainted =
        read(
            node(
                """
                {"taints":[{"key":"node.kubernetes.io/unreachable","effect":"NoExecute"}]}\
                """,
                "{}"));
    assertThat(tainted.outOfService()).isFalse();
    assertThat(tainted.unschedulable()).isFalse();
  }

  @Test
  void shouldSayNotReadyWhenNothingWasReportedYet() {
    assertThat(NodeReadings.read(new Node()).state()).isEqualTo(State.NOT_READY);
    assertThat(read(node("{}", "{\"conditions\":[]}")).since()).isNull();
  }

  @Test
  void shouldSayGoneWhenThereIsNoNode() {
    var gone = NodeReadings.read(null);
    assertThat(gone.state()).isEqualTo(State.GONE);
    assertThat(gone.evidence()).isNotEmpty();
  }
}
