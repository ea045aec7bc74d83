package dev.rekindle.controller.notification.webhook;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.notification.Notification;
import dev.rekindle.controller.notification.Notification.OfNode;
import dev.rekindle.controller.notification.Notification.OfRecovery;
import dev.rekindle.controller.notification.NotificationType;
import dev.rekindle.controller.recovery.HoldReason;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A notification as a message for Slack's incoming webhooks. Names and details may be a tenant's:
 * what Slack reads as a mention or a link is escaped, and formatting and previews are off.
 */
final class SlackBody {
  static final String CONTENT_TYPE = "application/json";

  /** Slack shows some 4,000 characters of a message, and details are for the page. */
  static final int LONGEST = 1_500;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final String cluster;

  SlackBody(String cluster) {
    this.cluster = cluster;
  }

  byte[] of(Notification notification) {
    return message(text(notification));
  }

  /** One that stands for nothing. */
  byte[] test() {
    return message(TestEvent.TEXT);
  }

  private byte[] message(String words) {
    String text = cluster.isEmpty() ? words : cluster + ": " + words;
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("text", escaped(text));
    message.put("mrkdwn", false);
    message.put("unfurl_links", false);
    message.put("unfurl_media", false);
    try {
      return MAPPER.writeValueAsBytes(message);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("a map of texts and truths", impossible);
    }
  }

  private static String text(Notification notification) {
    return switch (notification.content()) {
      case OfRecovery recovery -> text(notification.type(), recovery);
      case OfNode(var fence) ->
          notification.type() == NotificationType.NODE_FENCED
              ? "Node %s fenced by %s".formatted(fence.node(), fence.by())
              : "Node %s released; it was fenced by %s since %s"
                  .formatted(fence.node(), fence.by(), fence.since());
    };
  }

  private static String text(NotificationType type, OfRecovery content) {
    var view = content.recovery();
    RecoveryStatus status = view.status();
    String cause =
        status == null || status.cause() == null ? "" : " after " + status.cause().reason();
    String hold =
        content.hold().map(HoldReason::word).map(reason -> " (" + reason + ")").orElse("");
    return "Job %s: recovery %s %s%s%s: %s"
        .formatted(view.job(), view.name(), type.word(), hold, cause, content.detail());
  }

  /** Without control and formatting characters, cut, and with Slack's three escapes. */
  private static String escaped(String text) {
    StringBuilder escaped = new StringBuilder();
    text.codePoints()
        .limit(LONGEST)
        .map(c -> isHidden(c) ? ' ' : c)
        .forEach(
            c -> {
              switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                default -> escaped.appendCodePoint(c);
              }
            });
    return escaped.toString();
  }

  private static boolean isHidden(int c) {
    return Character.isISOControl(c)
        || Character.getType(c) == Character.FORMAT
        || Character.getType(c) == Character.LINE_SEPARATOR
        || Character.getType(c) == Character.PARAGRAPH_SEPARATOR
        || Character.getType(c) == Character.SURROGATE;
  }
}
