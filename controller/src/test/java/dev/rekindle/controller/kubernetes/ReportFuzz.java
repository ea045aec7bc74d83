package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartReport;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** Feeds bytes to the readers of what agents write. */
public final class ReportFuzz {
  private static final String[] SEEDS = {
    """
    {"metadata":{"name":"r","namespace":"n","uid":"u","creationTimestamp":"2026-01-01T00:00:00Z"},
    "spec":{"pod":"p","podUid":"u","node":"a","job":"j"},
    "status":{"restartCount":1,"firstStep":1,"firstStepTime":"2026-01-01T00:00:00Z","lastStep":9,
    "observedTime":"2026-01-01T00:00:00Z","message":"m",
    "asked":{"reason":"r","beforeStep":5,"time":"2026-01-01T00:00:00Z"}}}
    """,
    """
    {"metadata":{"name":"a.0000-3b-00.xid-79","uid":"u"},"spec":{"node":"a",
    "componentType":"GPU","component":"0000:3b:00",
    "code":"XID-79","detector":"kmsg","fence":"Always","action":"RESET_GPU",
    "bootId":"b","firstSeen":"2026-01-01T00:00:00Z",
    "evidence":"e"},
    "status":{"count":2,"lastSeen":"2026-01-01T00:00:00Z","incidents":[{"time":"2026-01-01T00:00:00Z"}]}}
    """,
    """
    {"metadata":{"name":"o-a","namespace":"n"},"spec":{"order":"o","node":"a"},
    "status":{"pods":[{"uid":"u","state":"Frozen"}],"observedTime":"2026-01-01T00:00:00Z"}}
    """,
  };

  /** Reports, for seeds. */
  public static String[] seeds() {
    return SEEDS.clone();
  }

  private static final class Json {
    private static final KubernetesSerialization READER = new KubernetesSerialization();
  }

  private ReportFuzz() {}

  /** Any of our objects. */
  public static void read(byte[] input) {
    read(input, RankReport.class, Views::rank);
    read(input, NodeFault.class, Views::fault);
    read(input, RestartReport.class, Views::restart);
    read(input, RestartOrder.class, Views::order);
    read(input, Recovery.class, Views::recovery);
  }

  private static <T extends HasMetadata> void read(
      byte[] input, Class<T> type, Function<T, ?> view) {
    if (input.length == 0 || input[0] != '{') {
      return; // The API server answers in JSON.
    }
    T object;
    try {
      object = Json.READER.unmarshal(new String(input, StandardCharsets.UTF_8), type);
    } catch (KubernetesClientException | IllegalArgumentException refused) {
      return;
    }
    if (object != null && object.getMetadata() != null && object.getMetadata().getName() != null) {
      var _ = view.apply(object);
    }
  }
}
