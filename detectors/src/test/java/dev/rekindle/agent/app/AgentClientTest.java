package dev.rekindle.agent.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RestartOrder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.WatchEvent;
import org.junit.jupiter.api.Test;

/** What the agent's client makes of what the API server sends. */
class AgentClientTest {
  @Test
  void shouldKnowAStatusThatEndsAWatch() {
    var event =
        AgentClient.json()
            .unmarshal(
                """
                {"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},
                 "status":"Failure","message":"too old resource version","reason":"Expired","code":410}}
                """,
                WatchEvent.class);
    assertThat(event.getObject())
        .isInstanceOfSatisfying(
            Status.class, status -> assertThat(status.getCode()).isEqualTo(410));
  }

  @Test
  void shouldReadWhatItKnowsAsTypesAndAllElseAsTrees() {
    var json = AgentClient.json();
    json.registerKubernetesResource(RestartOrder.class);
    assertThat(json.<Object>unmarshal(object("rekindle.dev/v1alpha1", "RestartOrder")))
        .isInstanceOf(RestartOrder.class);
    assertThat(json.<Object>unmarshal(object("v1", "Pod")))
        .isInstanceOf(GenericKubernetesResource.class);
  }

  private static String object(String apiVersion, String kind) {
    return "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":\"a\"}}"
        .formatted(apiVersion, kind);
  }
}
