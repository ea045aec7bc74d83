package dev.rekindle.controller.notification.webhook;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rekindle.controller.notification.FenceEpisode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The data of a CloudEvent about the fence of a node. {@code
 * docs/reference/notification.schema.json} has it as a JSON schema.
 *
 * @param node the node
 * @param fencedBy the recovery that fenced it, or {@code fault/NAME} of a NodeFault
 * @param fencedAt when the fence was first seen, RFC 3339
 * @param releasedAt when it was seen to be gone, RFC 3339; absent while it is there
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record NodeData(Node node, String fencedBy, String fencedAt, @Nullable String releasedAt) {
  /** A node. */
  record Node(String name, String uid) {}

  static NodeData of(FenceEpisode fence) {
    Instant until = fence.until();
    return new NodeData(
        new Node(fence.node(), fence.nodeUid()),
        fence.by(),
        fence.since().toString(),
        until == null ? null : until.toString());
  }
}
