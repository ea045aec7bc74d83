package dev.rekindle.controller.notification.webhook;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.controller.notification.Notification;
import dev.rekindle.controller.notification.Notification.OfNode;
import dev.rekindle.controller.notification.Notification.OfRecovery;
import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.jackson.JsonFormat;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;

/**
 * A notification as a CloudEvent in structured mode: the attributes stand in the body, so that the
 * signature covers them too.
 */
final class CloudEventBody {
  static final String CONTENT_TYPE = JsonFormat.CONTENT_TYPE;
  private static final String DATA_TYPE = "application/json";
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonFormat FORMAT = new JsonFormat();

  private final URI source;

  /**
   * @param cluster how receivers distinguish clusters; empty where there is one
   */
  CloudEventBody(String cluster) {
    source =
        URI.create(
            cluster.isEmpty()
                ? "/rekindle"
                : "/rekindle/" + URLEncoder.encode(cluster, StandardCharsets.UTF_8));
  }

  byte[] of(Notification notification) {
    return FORMAT.serialize(
        CloudEventBuilder.v1()
            .withId(notification.id())
            .withSource(source)
            .withType(notification.type().cloudEventType())
            .withSubject(subject(notification))
            .withTime(notification.time().atOffset(ZoneOffset.UTC))
            .withData(DATA_TYPE, data(notification))
            .build());
  }

  /** One that stands for nothing. */
  byte[] test(String id, Instant time) {
    return FORMAT.serialize(
        CloudEventBuilder.v1()
            .withId(id)
            .withSource(source)
            .withType(TestEvent.TYPE)
            .withSubject(TestEvent.SUBJECT)
            .withTime(time.atOffset(ZoneOffset.UTC))
            .withData(DATA_TYPE, json(Map.of("message", TestEvent.TEXT)))
            .build());
  }

  private static String subject(Notification notification) {
    return switch (notification.content()) {
      case OfRecovery(var recovery, _, _) -> recovery.namespace() + "/" + recovery.name();
      case OfNode(var fence) -> fence.node();
    };
  }

  private static byte[] data(Notification notification) {
    return json(
        switch (notification.content()) {
          case OfRecovery recovery -> RecoveryData.of(notification, recovery);
          case OfNode(var fence) -> NodeData.of(fence);
        });
  }

  private static byte[] json(Object data) {
    try {
      return MAPPER.writeValueAsBytes(data);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("records of names, texts and numbers", impossible);
    }
  }
}
