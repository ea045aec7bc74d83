package dev.rekindle.controller.network;

import dev.rekindle.controller.network.EndpointView.Attached;
import dev.rekindle.controller.network.RdmaProof.Finding;
import dev.rekindle.controller.network.RdmaProof.Former;
import dev.rekindle.controller.network.RdmaProof.Member;
import dev.rekindle.controller.network.RdmaProof.Proof;
import java.util.List;
import java.util.Optional;

/** What a pod lacks of the NICs that it is to get, by its SpiderEndpoint and its network-status. */
final class RailAttachment {
  private RailAttachment() {}

  /** By its SpiderEndpoint, and by what Multus says. */
  static Optional<Proof> missing(Member m, List<Nic> wanted) {
    return wanted.stream()
        .flatMap(nic -> notAttached(m, nic).stream())
        .findFirst()
        .map(
            what ->
                RdmaProof.shownBy(
                    m, Finding.RAIL_NOT_ATTACHED, "%s has %s".formatted(m.title(), what)));
  }

  private static Optional<String> notAttached(Member m, Nic nic) {
    boolean needsAddress = !nic.families().isEmpty();
    EndpointView endpoint = m.endpoint();
    // One of a former pod of that name says nothing of this one.
    if (needsAddress
        && endpoint != null
        && endpoint.uid().equals(m.uid())
        && endpoint.nics().stream().noneMatch(has -> isOn(has, nic))) {
      return Optional.of("no address on rail " + nic.title());
    }
    if (m.attached().isEmpty() || nic.network().isEmpty()) {
      return Optional.empty();
    }
    List<AttachedNic> there =
        m.attached().stream().filter(has -> has.network().equals(nic.network())).toList();
    if (there.isEmpty()) {
      return Optional.of("no NIC on rail %s, by its network-status".formatted(nic.title()));
    }
    return needsAddress && there.stream().noneMatch(AttachedNic::addressed)
        ? Optional.of("a NIC without address on rail " + nic.title())
        : Optional.empty();
  }

  private static boolean isOn(Attached has, Nic nic) {
    return has.name().equals(nic.name()) && !(has.ipv4().isEmpty() && has.ipv6().isEmpty());
  }

  /** Compared with before alone: old versions of Multus name no device. */
  static Optional<Proof> fewerDevices(Member m, Former before) {
    int devices = devices(m.attached());
    return m.attached().isEmpty() || devices >= before.attachedDevices()
        ? Optional.empty()
        : Optional.of(
            RdmaProof.shownBy(
                m,
                Finding.FEWER_DEVICES,
                "Multus has attached %d devices for RDMA to %s, and %d before"
                    .formatted(devices, m.title(), before.attachedDevices())));
  }

  /** Devices for RDMA that Multus names. */
  static int devices(List<AttachedNic> attached) {
    return (int)
        attached.stream().map(AttachedNic::device).filter(d -> !d.isEmpty()).distinct().count();
  }
}
