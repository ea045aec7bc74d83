package dev.rekindle.agent.faults;

import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which Node object this process runs on, as the token of its pod says (Kubernetes 1.30 and later):
 * so no agent needs the right to read nodes. The token is read again each time: the kubelet
 * exchanges it.
 */
public final class OwnNode {
  private static final Logger LOG = LoggerFactory.getLogger(OwnNode.class);
  private static final Pattern UID = Pattern.compile("[-0-9a-zA-Z]{1,128}");
  private static final long LONGEST = 65_536;

  private final Path token;
  private final KubernetesSerialization json;

  /** The Node that the token in this file names. */
  public OwnNode(Path token, KubernetesSerialization json) {
    this.token = token;
    this.json = json;
  }

  /** UID of the Node, empty where the token does not say it. */
  public String uid() {
    try {
      return Files.size(token) > LONGEST ? "" : uid(Files.readString(token));
    } catch (IOException | RuntimeException unreadable) {
      LOG.atDebug()
          .addKeyValue(LogKey.ERROR.key(), unreadable.toString())
          .log("Token names no Node");
      return "";
    }
  }

  private String uid(String text) {
    var parts = text.strip().split("\\.", -1);
    if (parts.length != 3) {
      return "";
    }
    var claims =
        json.unmarshal(
            new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8), Map.class);
    var uid = child(child(child(claims, "kubernetes.io"), "node"), "uid");
    return uid instanceof String word && UID.matcher(word).matches() ? word : "";
  }

  private static @Nullable Object child(@Nullable Object tree, String key) {
    return tree instanceof Map<?, ?> map ? map.get(key) : null;
  }
}
