package dev.rekindle.controller.kubernetes.convert;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;

/** Feeds bytes to the readers of Kueue's and Spiderpool's objects, of networks and of volumes. */
public final class PlatformFuzz {
  /** Loaded by its own target alone. */
  private static final class Tracker {
    private static final TrackerReport REPORT = new TrackerReport(new KubernetesSerialization());
  }

  private PlatformFuzz() {}

  /** Kueue's objects. */
  public static void kueue(byte[] input) {
    JobFuzz.read(input, GenericKubernetesResource.class)
        .filter(PlatformFuzz::isNamed)
        .ifPresent(
            object -> {
              var _ = KueueReader.workload(object);
              var _ = KueueReader.queue(object);
            });
  }

  /** Spiderpool's objects. */
  public static void spiderpool(byte[] input) {
    JobFuzz.read(input, GenericKubernetesResource.class)
        .filter(PlatformFuzz::isNamed)
        .ifPresent(
            object -> {
              var _ = SpiderpoolReader.pool(object);
              var _ = SpiderpoolReader.config(object);
              var _ = SpiderpoolReader.endpoint(object);
              var _ = SpiderpoolReader.namespace(object);
              var _ = SpiderpoolReader.webhook(object);
            });
  }

  /** Lines of {@code annotation=value}. */
  public static void networks(byte[] input) {
    var annotations = new HashMap<String, String>();
    for (var line : new String(input, StandardCharsets.UTF_8).split("\n", -1)) {
      var equals = line.indexOf('=');
      if (equals > 0) {
        annotations.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    var _ = WishReader.of(annotations);
  }

  /** A PersistentVolume. */
  public static void volume(byte[] input) {
    JobFuzz.read(input, PersistentVolume.class)
        .ifPresent(
            volume -> {
              var _ = VolumeReader.read("data", volume);
            });
  }

  /** The log of a pod that rewrites a tracker. */
  public static void tracker(byte[] input) {
    var _ = Tracker.REPORT.of(new String(input, StandardCharsets.UTF_8));
  }

  private static boolean isNamed(GenericKubernetesResource object) {
    return object.getMetadata() != null && object.getMetadata().getName() != null;
  }
}
