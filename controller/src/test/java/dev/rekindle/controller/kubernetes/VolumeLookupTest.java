package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.BoundVolume;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which nodes reach what a claim is bound to. */
class VolumeLookupTest extends GatewayFixture {
  private static final String VOLUME =
      """
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: pv-7}
      spec:
        local: {path: /mnt}
      """;

  private static final String NODES =
      """
        nodeAffinity:
          required:
            nodeSelectorTerms:
            - matchFields:
              - {key: metadata.name, operator: In, values: [node-1]}
      """;

  private void create(String object) {
    client.resource((HasMetadata) client.getKubernetesSerialization().unmarshal(object)).create();
  }

  private void claim(String spec) {
    create(
        """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: data, namespace: team}
        spec: {%s}
        """
            .formatted(spec));
  }

  private Optional<BoundVolume> read() {
    return new VolumeLookup(client, new Circuits(() -> false)).bound("team", "data");
  }

  @Test
  void shouldReadWhichNodesReachABoundVolume() {
    claim("volumeName: pv-7");
    create(VOLUME + NODES);

    BoundVolume volume = read().orElseThrow();

    assertThat(volume.title()).isEqualTo("claim data (local)");
    assertThat(volume.isReachedFrom(Given.node("node-1"))).isTrue();
    assertThat(volume.isReachedFrom(Given.node("node-2"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"volumeName: ''", "volumeName: pv-8", "storageClassName: late"})
  void shouldSayNothingOfAClaimThatIsNotBoundToAVolumeThatIsThere(String spec) {
    create(VOLUME + NODES);
    claim(spec);

    assertThat(read()).isEmpty();
  }

  @Test
  void shouldSayNothingWhereThereIsNoClaimOrAllNodesReachItsVolume() {
    assertThat(read()).isEmpty();

    claim("volumeName: pv-7");
    create(VOLUME);
    assertThat(read()).isEmpty();
  }
}
