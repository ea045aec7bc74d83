package dev.rekindle.detect.stall;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What holds up a job of which all hosts have enqueued what others wait in. */
final class DeviceWaits {
  private DeviceWaits() {}

  /**
   * A group whose devices all stand in one collective, or devices that wait for each other.
   *
   * @param departed the only rank that has left the order of its own calls
   * @param whole whether all ranks have a dump
   */
  static Optional<StallReport> report(
      WaitGraph graph,
      Collection<GroupWaits> stuck,
      Optional<Departed> departed,
      boolean whole,
      List<String> evidence) {
    List<String> all = new ArrayList<>(evidence);
    for (var waits : stuck) {
      long sequence = waits.sequence(waits.members().firstKey());
      all.add(
          "%s: the devices of all ranks stand in collective %d%s, and it does not end"
              .formatted(waits.group().label(), sequence, waits.operation(sequence)));
    }
    if (!stuck.isEmpty()) {
      return Optional.of(new StallReport(List.of(), StallClass.NETWORK, Confidence.LOW, all));
    }
    var ranks = whole ? graph.inCircles() : List.<Integer>of();
    if (ranks.isEmpty()) {
      return Optional.empty();
    }
    all.add(
        "devices of %s wait for each other: calls differ in order"
            .formatted(StallAnalysis.ranks(ranks)));
    return Optional.of(
        departed
            .filter(d -> ranks.contains(d.rank()))
            .map(d -> d.report(Confidence.MEDIUM, all))
            .orElseGet(() -> new StallReport(List.of(), StallClass.PROGRAM, Confidence.LOW, all)));
  }
}
