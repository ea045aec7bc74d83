package dev.rekindle.detect.agent;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.detect.fault.Sighting;
import dev.rekindle.detect.kmsg.Boot;
import dev.rekindle.detect.kmsg.KmsgRecord;
import dev.rekindle.detect.kmsg.KmsgSink;
import dev.rekindle.detect.xid.RecoveryAction;
import dev.rekindle.detect.xid.XidCatalog;
import dev.rekindle.detect.xid.XidEvent;
import dev.rekindle.detect.xid.XidParser;
import java.time.Instant;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns kernel records that report a fault into sightings; all others do not matter. */
final class FaultSink implements KmsgSink {
  private static final Logger LOG = LoggerFactory.getLogger(FaultSink.class);

  private final String node;
  private final Boot boot;
  private final XidCatalog catalog;
  private final Consumer<Sighting> faults;

  /**
   * A sink.
   *
   * @param faults takes each sighting; throws when it cannot be delivered now
   */
  FaultSink(String node, Boot boot, XidCatalog catalog, Consumer<Sighting> faults) {
    this.node = node;
    this.boot = boot;
    this.catalog = catalog;
    this.faults = faults;
  }

  @Override
  public boolean accept(KmsgRecord kmsg, Instant time) {
    var xid = XidParser.parse(kmsg.text());
    if (xid.isEmpty()) {
      return false;
    }
    if (xid.get().recoveryAction().filter(action -> action == RecoveryAction.NONE).isPresent()) {
      LOG.atInfo()
          .addKeyValue("component", xid.get().pci())
          .log("The driver gives the all-clear for a GPU");
      return false;
    }
    faults.accept(Sighting.of(fault(xid.get(), kmsg, time), kmsg.sequence(), time));
    return true;
  }

  private NodeFaultSpec fault(XidEvent xid, KmsgRecord kmsg, Instant time) {
    var entry = catalog.lookup(xid.code());
    if (!entry.known()) {
      LOG.atWarn()
          .addKeyValue("code", "XID-" + xid.code())
          .addKeyValue("line", kmsg.text())
          .log("The catalogue does not hold this XID; it is to be investigated");
    }
    return new NodeFaultSpec(
        node,
        ComponentType.GPU,
        xid.pci(),
        "XID-" + xid.code(),
        "kmsg",
        entry.fence(),
        // What the driver itself asks for is better than any table.
        xid.recoveryAction().map(RecoveryAction::word).orElse(entry.action()),
        boot.id(),
        time,
        kmsg.text());
  }
}
