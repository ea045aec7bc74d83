package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.network.AttachedNic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads what Multus says of the NICs of a pod, as version 4 writes it (NetworkStatus of the
 * network-attachment-definition-client). Where there is no Multus the text is a tenant's: it is
 * bounded, and what makes no sense counts as absent. Never throws.
 */
final class NetworkStatusReader {
  static final String STATUS = "k8s.v1.cni.cncf.io/network-status";

  /** Some 300 characters for each NIC. */
  private static final int MAX_TEXT = 64 * 1024;

  private static final int MAX_NICS = 64;

  private NetworkStatusReader() {}

  /** The NICs beside the first one; none where the annotation is absent or cannot be read. */
  static List<AttachedNic> read(Map<String, String> annotations) {
    String text = annotations.getOrDefault(STATUS, "");
    if (text.isEmpty()) {
      return List.of();
    }
    List<AttachedNic> nics = new ArrayList<>();
    for (Object entry : JsonText.list(JsonText.parse(text, MAX_TEXT).orElse(null))) {
      Map<?, ?> nic = JsonText.map(entry);
      String network = JsonText.name(nic.get("name"));
      if (!network.isEmpty()
          && !Boolean.TRUE.equals(nic.get("default"))
          && nics.size() < MAX_NICS) {
        Map<?, ?> pci = JsonText.map(JsonText.map(nic.get("device-info")).get("pci"));
        nics.add(
            new AttachedNic(
                network,
                JsonText.name(nic.get("interface")),
                !JsonText.names(nic.get("ips"), 1).isEmpty(),
                JsonText.name(pci.get("rdma-device"))));
      }
    }
    return nics;
  }
}
