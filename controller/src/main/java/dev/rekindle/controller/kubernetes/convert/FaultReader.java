package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.controller.model.FaultView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads NodeFaults. */
public final class FaultReader {
  /** The API server writes whole seconds. */
  private static final Duration PRECISION = Duration.ofSeconds(1);

  private FaultReader() {}

  /**
   * What the controller keeps of a NodeFault.
   *
   * @param name object name
   * @param spec its spec
   * @param status its status; absent right after its creation
   * @param written when it was last written, by the clock of the API server; absent when unknown
   */
  public static FaultView view(
      String name,
      NodeFaultSpec spec,
      @Nullable NodeFaultStatus status,
      @Nullable Instant written) {
    return new FaultView(
        name,
        spec.node(),
        component(spec),
        spec.code(),
        spec.fence(),
        status == null || status.state() != NodeFaultStatus.State.CLEARED,
        status == null ? 1 : status.count(),
        notAfter(
            written,
            status == null || status.lastSeen() == null ? spec.firstSeen() : status.lastSeen()),
        status == null || status.lastEvidence().isEmpty() ? spec.evidence() : status.lastEvidence(),
        spec.detector(),
        spec.action(),
        status == null || status.bootId().isEmpty() ? spec.bootId() : status.bootId(),
        status == null ? "" : status.clearedBy(),
        status == null ? List.of() : incidents(status),
        null,
        spec.nodeUid(),
        spec.deviceUuid());
  }

  /**
   * Nothing is seen after it was written: where it says so, the clock of the node is ahead. A fault
   * of the future would outlive every reboot until then.
   */
  private static @Nullable Instant notAfter(@Nullable Instant written, @Nullable Instant seen) {
    if (written == null || seen == null) {
      return seen;
    }
    Instant latest = written.plus(PRECISION);
    return seen.isAfter(latest) ? latest : seen;
  }

  private static List<FaultView.Incident> incidents(NodeFaultStatus status) {
    return status.incidents().stream()
        .flatMap(i -> Stream.ofNullable(i.lastSeen()).map(last -> FaultView.Incident.of(i, last)))
        .toList();
  }

  private static String component(NodeFaultSpec spec) {
    String type =
        switch (spec.componentType()) {
          case GPU, NIC -> spec.componentType().name();
          case NVSWITCH -> "NVSwitch";
          case NODE -> spec.componentType().name().toLowerCase(Locale.ROOT);
        };
    return spec.componentId().isEmpty() ? type : type + " " + spec.componentId();
  }
}
