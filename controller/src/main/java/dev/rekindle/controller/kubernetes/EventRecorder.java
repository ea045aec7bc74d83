package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.events.v1.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Writes events.k8s.io/v1 Events. The name is a function of what is said, so saying it again counts
 * up one Event instead of adding another.
 */
public final class EventRecorder {
  /** Where events on nodes are, as nodes have no namespace. */
  static final String OF_NODES = "default";

  private static final int MAX_NOTE_BYTES = 1_024;
  private static final int MAX_INSTANCE = 128;
  private static final int MAX_NAME = 200;
  private static final int MAX_COUNTED = 1_000;
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private final Map<String, Integer> counts =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
              return size() > MAX_COUNTED;
            }
          });
  private final KubernetesClient client;
  private final String instance;

  /**
   * @param instance which replica says it: the pod name
   */
  public EventRecorder(KubernetesClient client, String instance) {
    this.client = client;
    this.instance =
        instance.length() > MAX_INSTANCE ? instance.substring(0, MAX_INSTANCE) : instance;
  }

  /** Writes the event, or counts it up where it was written before. */
  public void write(ClusterEvent said, Instant now) {
    Event event = event(said, instance, now);
    Resource<Event> resource = client.events().v1().events().resource(event);
    if (!create(resource)) {
      countUp(resource, event.getMetadata().getName(), now);
    }
  }

  /** Writes the event, or nothing where it was written before. */
  public void writeOnce(ClusterEvent said, Instant at) {
    var _ = create(client.events().v1().events().resource(event(said, instance, at)));
  }

  /** Returns false where it is there. */
  private static boolean create(Resource<Event> resource) {
    try {
      var _ = resource.create();
      return true;
    } catch (KubernetesClientException error) {
      if (error.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw error;
      }
      return false;
    }
  }

  /** Counts from memory: reading the Event first would take one more permission. */
  private void countUp(Resource<Event> resource, String name, Instant now) {
    int count = counts.merge(name, 2, (former, _) -> former + 1);
    Map<String, Object> series = Map.of("count", count, "lastObservedTime", MICROS.format(now));
    String patch = client.getKubernetesSerialization().asJson(Map.of("series", series));
    var _ = resource.patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  /** The event as it is written the first time. */
  static Event event(ClusterEvent said, String instance, Instant now) {
    String note = bounded(said.note());
    EventBuilder event =
        new EventBuilder()
            .withNewMetadata()
            .withNamespace(said.job() == null ? OF_NODES : said.job().namespace())
            .withName(name(said, note))
            .endMetadata()
            .withEventTime(new MicroTime(MICROS.format(now)))
            .withReportingController("rekindle.dev/controller")
            .withReportingInstance(instance)
            .withType(said.reason().warning() ? "Warning" : "Normal")
            .withReason(said.reason().word())
            .withAction(said.reason().action())
            .withNote(note)
            .withRegarding(said.job() == null ? node(said.node()) : job(said.job(), said.jobUid()));
    if (said.job() != null && !said.node().isEmpty()) {
      event.withRelated(node(said.node()));
    }
    return event.build();
  }

  private static ObjectReference job(JobKey job, String uid) {
    return new ObjectReferenceBuilder()
        .withApiVersion("kubeflow.org/v1")
        .withKind("PyTorchJob")
        .withNamespace(job.namespace())
        .withName(job.name())
        .withUid(uid)
        .build();
  }

  /** Events on a node carry its name for a UID, as the kubelet's do; kubectl selects by that. */
  private static ObjectReference node(String name) {
    return new ObjectReferenceBuilder()
        .withApiVersion("v1")
        .withKind("Node")
        .withName(name)
        .withUid(name)
        .build();
  }

  private static String name(ClusterEvent said, String note) {
    String content = String.join("\n", said.jobUid(), said.reason().word(), said.node(), note);
    UUID hash = UUID.nameUUIDFromBytes(content.getBytes(StandardCharsets.UTF_8));
    String job = said.job() == null ? said.node() : said.job().name();
    return (job.length() > MAX_NAME ? job.substring(0, MAX_NAME) : job) + "." + hash;
  }

  /** At most 1 kB of UTF-8, cut between characters. */
  private static String bounded(String note) {
    CharBuffer in = CharBuffer.wrap(note);
    ByteBuffer out = ByteBuffer.allocate(MAX_NOTE_BYTES);
    var _ = StandardCharsets.UTF_8.newEncoder().encode(in, out, true);
    return note.substring(0, in.position());
  }
}
