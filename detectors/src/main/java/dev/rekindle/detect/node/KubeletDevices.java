package dev.rekindle.detect.node;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which devices the kubelet has given to which pod, from the file that it keeps for its own
 * restarts. Before Kubernetes 1.36 pods do not say, and what a container's environment says its
 * image may have set. The kubelet writes the file with each allocation and not when a pod is gone:
 * what it says counts for pods that are there. Never throws; what cannot be read is unknown.
 */
public final class KubeletDevices {
  /** Where it is on a node; no setting of the kubelet moves it. */
  public static final Path FILE =
      Path.of("var/lib/kubelet/device-plugins/kubelet_internal_checkpoint");

  private static final long MAX_BYTES = 1 << 20;
  private static final int MAX_DEVICES = 4096;

  private final Path file;
  private FileTime read = FileTime.fromMillis(0);
  private Map<String, Set<String>> byPod = Map.of();

  /** Reads that file whenever it has changed. */
  public KubeletDevices(Path file) {
    this.file = file;
  }

  /** Ids of the devices of a pod; none where it has none, or it is not known. */
  public synchronized Set<String> of(String podUid) {
    try {
      FileTime changed = Files.getLastModifiedTime(file);
      if (!changed.equals(read)) {
        // One that cannot be read is read again when it has changed.
        read = changed;
        byPod = Map.of();
        byPod = Files.size(file) > MAX_BYTES ? Map.of() : parse(Files.readString(file));
      }
    } catch (IOException unreadable) {
      byPod = Map.of();
    }
    return byPod.getOrDefault(podUid, Set.of());
  }

  private static Map<String, Set<String>> parse(String text) throws IOException {
    Map<String, Set<String>> byPod = new HashMap<>();
    int devices = 0;
    for (JsonNode entry : Json.read(text).path("Data").path("PodDeviceEntries")) {
      Set<String> held =
          byPod.computeIfAbsent(entry.path("PodUID").asText(""), _ -> new HashSet<>());
      // A list for each NUMA node, since Kubernetes 1.20.
      for (JsonNode list : entry.path("DeviceIDs")) {
        for (JsonNode id : list) {
          if (id.isTextual() && devices++ < MAX_DEVICES) {
            held.add(PodDeviceReader.plain(id.asText()));
          }
        }
      }
    }
    return byPod;
  }
}
