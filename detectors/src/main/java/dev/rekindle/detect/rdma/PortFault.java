package dev.rekindle.detect.rdma;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import java.util.ArrayList;
import java.util.List;

/** A fault of a port that holds. */
record PortFault(String code, FenceGuidance fence, String evidence) {
  static final String DOWN = "NIC-PORT-DOWN";
  static final String FLAPPING = "NIC-PORT-FLAPPING";
  static final String SLOW = "NIC-RATE-DEGRADED";
  static final String ERRORS = "NIC-PORT-ERRORS";
  static final String MISSING = "NIC-DEVICE-MISSING";

  /** All that hold for a port that is there. */
  static List<PortFault> of(KnownPort port, PortReading reading) {
    List<PortFault> all = new ArrayList<>();
    var link = port.link();
    if (link.dropped()) {
      all.add(
          new PortFault(
              DOWN,
              FenceGuidance.ALWAYS,
              link.downSince() == null
                  ? "up again since " + link.upSince() + " after it was down; " + reading.shown()
                  : "down since " + link.downSince() + "; " + reading.shown()));
    }
    if (link.flapping()) {
      all.add(
          new PortFault(
              FLAPPING,
              FenceGuidance.THRESHOLD,
              "went down and came back "
                  + link.flaps().size()
                  + " times in 12 h; "
                  + reading.shown()));
    }
    if (link.degraded()) {
      all.add(
          new PortFault(
              SLOW,
              FenceGuidance.THRESHOLD,
              "runs at " + link.rate() + " Gb/s and has run at " + link.bestRate()));
    }
    if (port.tally().exceeded().size() >= Tally.MANY) {
      all.add(
          new PortFault(
              ERRORS,
              FenceGuidance.THRESHOLD,
              "errors above a threshold at "
                  + port.tally().exceeded().size()
                  + " polls of the last hour"));
    }
    return all;
  }
}
