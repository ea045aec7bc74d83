package dev.rekindle.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.Recovery;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.kubeflow.v1.PyTorchJob;

/** What an API server of Kubernetes 1.34 has stored, though its schema seems to forbid it. */
class StoredJsonTest {
  private static final KubernetesSerialization JSON = StoredJson.ofAllTypes();

  private static <T> T read(KubernetesSerialization json, String text, Class<T> type) {
    return json.unmarshal(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), type);
  }

  private static NodeFault fault(String seen) {
    String object =
        """
        {"apiVersion":"rekindle.dev/v1alpha1","kind":"NodeFault","metadata":{"name":"f"},
         "spec":{"node":"n","code":"XID-79"},"status":{"count":7,"lastSeen":"%s"}}
        """
            .formatted(seen);
    return read(JSON, object, NodeFault.class);
  }

  private static PyTorchJob job(String replica) {
    String object =
        """
        {"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"demo"},
         "spec":{"pytorchReplicaSpecs":{"Worker":{%s}}}}
        """
            .formatted(replica);
    return read(JSON, object, PyTorchJob.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-11-27T10:00:00+99:99",
        "2026-11-27T10:00:00x5Z",
        "2026-11-27T10:00:00.1234567891Z"
      })
  void shouldTakeATimeThatIsNoneForNone(String time) {
    NodeFault fault = fault(time);

    assertThat(fault.getStatus().lastSeen()).isNull();
    assertThat(fault.getStatus().count()).isEqualTo(7);
  }

  @ParameterizedTest
  @CsvSource({
    "2026-11-27T10:00:00Z, 2026-11-27T10:00:00Z",
    "2026-11-27t10:00:00.5z, 2026-11-27T10:00:00.5Z",
    "2026-11-27T10:00:00+02:00, 2026-11-27T08:00:00Z"
  })
  void shouldReadATime(String text, Instant time) {
    assertThat(fault(text).getStatus().lastSeen()).isEqualTo(time);
  }

  @ParameterizedTest
  @CsvSource({
    "3, 3",
    "-1, -1",
    "2147483647, 2147483647",
    "2147483648, 2147483647",
    "3000000000, 2147483647",
    "-3000000000, -2147483648",
    "99999999999999999999, 2147483647"
  })
  void shouldBringAnIntegerWithin32Bits(String text, int number) {
    assertThat(job("\"replicas\":" + text).getSpec().getPytorchReplicaSpecs())
        .extractingByKey("Worker")
        .satisfies(worker -> assertThat(worker.getReplicas()).isEqualTo(number));
    assertThat(read(JSON, recovery(text), Recovery.class).getStatus().attempt()).isEqualTo(number);
  }

  private static String recovery(String attempt) {
    return """
    {"apiVersion":"rekindle.dev/v1alpha1","kind":"Recovery","metadata":{"name":"r"},
     "spec":{"jobRef":{"name":"demo"}},"status":{"phase":"Draining","attempt":%s}}
    """
        .formatted(attempt);
  }

  @Test
  void shouldReadWhatIsLeftOut() {
    assertThat(read(JSON, recovery("null"), Recovery.class).getStatus().attempt()).isZero();
    assertThat(job("\"replicas\":null").getSpec().getPytorchReplicaSpecs())
        .extractingByKey("Worker")
        .satisfies(worker -> assertThat(worker.getReplicas()).isNull());
  }

  @Test
  void shouldReadANameOfAnyLength() {
    String name = "k".repeat(60_000);

    assertThat(
            job("\"template\":{\"spec\":{\"containers\":[],\"nodeSelector\":{\"%s\":\"x\"}}}"
                    .formatted(name))
                .getSpec()
                .getPytorchReplicaSpecs())
        .extractingByKey("Worker")
        .satisfies(
            worker ->
                assertThat(worker.getTemplate().getSpec().getNodeSelector())
                    .isEqualTo(Map.of(name, "x")));
  }

  /** 6,000 of them would be kept: of long ones that is more than the memory of a controller. */
  @Test
  void shouldKeepNoName() {
    for (var json : List.of(StoredJson.ofAllTypes(), StoredJson.ofRequestedTypes())) {
      String name = "a-name-that-a-tenant-has-chosen";
      String object =
          "{\"apiVersion\":\"kubeflow.org/v1\",\"kind\":\"PyTorchJob\",\"%s\":1}".formatted(name);

      assertThat(nameIn(json, object)).isEqualTo(name).isNotSameAs(nameIn(json, object));
    }
  }

  private static String nameIn(KubernetesSerialization json, String object) {
    return read(json, object, GenericKubernetesResource.class)
        .getAdditionalProperties()
        .keySet()
        .iterator()
        .next();
  }
}
