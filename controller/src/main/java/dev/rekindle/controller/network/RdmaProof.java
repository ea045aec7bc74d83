package dev.rekindle.controller.network;

import dev.rekindle.api.Transport;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether a gang that trains again is on RDMA as it was to be: by its pods' resources, by the NICs
 * that were attached and their addresses, and by what NCCL prints. What shows that it is not weighs
 * more than what is not known, and that more than what shows that it is. Lines of a log, and a
 * network-status where there is no Multus, are a tenant's: a forged one hurts its own job alone.
 */
public final class RdmaProof {
  /** So many rails are named in a sentence. */
  private static final int MOST_NAMED = 8;

  private RdmaProof() {}

  /** What was found: the reason of condition {@code RdmaRestored}, as Kubernetes spells reasons. */
  public enum Finding {
    /** Each rank is on RDMA, on as many devices as before. */
    ON_RDMA("OnRdma", "True"),
    /** A pod does not request a resource that the rails need: nothing has injected it. */
    RESOURCE_MISSING("RdmaResourceMissing", "False"),
    /** A pod has no NIC or no address on a rail. */
    RAIL_NOT_ATTACHED("RailNotAttached", "False"),
    /** A rank sends over TCP. */
    SOCKET_FALLBACK("NcclSocketFallback", "False"),
    /** A rank found fewer devices than before. */
    FEWER_DEVICES("FewerRdmaDevices", "False"),
    /** Data goes through the memory of hosts, and did not before. */
    GPU_DIRECT_LOST("GpuDirectLost", "False"),
    /** No line of NCCL names a network: {@code NCCL_DEBUG} is not INFO. */
    NO_NCCL_LINES("NcclDebugOff", "Unknown"),
    /** A plugin of NCCL, of which it is not known whether it is RDMA. */
    UNKNOWN_PLUGIN("UnknownNcclPlugin", "Unknown");

    private final String word;
    private final String status;

    Finding(String word, String status) {
      this.word = word;
      this.status = status;
    }

    /** The reason of the condition. */
    public String word() {
      return word;
    }

    /** The status of the condition: {@code True}, {@code False}, {@code Unknown}. */
    public String status() {
      return status;
    }
  }

  /**
   * What is said of the gang.
   *
   * @param detail for people: the rank, pod, node and rails that show it
   * @param shown the pods that show it; none where all are as they should be
   */
  public record Proof(Finding finding, String detail, List<Member> shown) {
    public Proof {
      shown = List.copyOf(shown);
    }

    /** Whether it shows that the gang is not on RDMA as it was to be. */
    public boolean broken() {
      return finding.status().equals("False");
    }

    /** Whether nothing shows it, one way or the other. */
    public boolean unknown() {
      return finding.status().equals("Unknown");
    }

    /** The nodes of the pods that show it, sorted. */
    public List<String> nodes() {
      return shown.stream()
          .map(Member::node)
          .filter(n -> !n.isEmpty())
          .distinct()
          .sorted()
          .toList();
    }
  }

  /**
   * A pod of the gang that trains again.
   *
   * @param rank what it is in the gang, {@code worker/3}
   * @param resources names of what its containers request
   * @param endpoint the addresses that it was given; absent where no SpiderEndpoint is seen
   * @param attached the NICs that Multus has attached; none where it says nothing
   * @param transport what NCCL prints in the run of its container; absent where it names no network
   */
  public record Member(
      String rank,
      String pod,
      String uid,
      String node,
      List<String> resources,
      @Nullable EndpointView endpoint,
      List<AttachedNic> attached,
      @Nullable Transport transport) {
    public Member {
      resources = List.copyOf(resources);
      attached = List.copyOf(attached);
    }

    String title() {
      return "rank %s (pod %s on node %s)".formatted(rank, pod, node);
    }
  }

  /**
   * The gang before the fault.
   *
   * @param onRdma whether all of its ranks were seen to use RDMA
   * @param fewestDevices devices of the rank with the fewest; 0 where they are not known
   * @param direct whether all data between nodes went from and to the memory of GPUs
   * @param attachedDevices devices for RDMA that Multus had attached to the pod with the fewest; 0
   *     where that is not known
   */
  public record Former(boolean onRdma, int fewestDevices, boolean direct, int attachedDevices) {
    /** Of which nothing is known. */
    public static final Former UNKNOWN = new Former(false, 0, false, 0);

    /** By what NCCL printed in its pods, none where a pod says nothing, and by their NICs. */
    public static Former of(
        List<Transport> pods, int gangSize, Collection<List<AttachedNic>> attached) {
      boolean rdma =
          !pods.isEmpty()
              && pods.size() == gangSize
              && pods.stream().allMatch(t -> t.ranks() > 0 && t.rdmaRanks() == t.ranks());
      boolean direct = rdma && pods.stream().allMatch(RdmaProof::isDirect);
      int fewest = rdma ? pods.stream().mapToInt(Transport::fewestDevices).min().orElse(0) : 0;
      int devices = attached.stream().mapToInt(RailAttachment::devices).min().orElse(0);
      return new Former(rdma, fewest, direct, Math.min(devices, Transport.MOST_DEVICES));
    }

    private boolean hadRdma() {
      return onRdma || attachedDevices > 0;
    }
  }

  /**
   * What the gang is on.
   *
   * @param rails NICs that its pods are to get; those without a resource are none
   * @param before the gang before the fault
   * @param gang all of its pods, now
   * @param required whether its owner requires RDMA, whatever else shows that it is wanted
   * @return empty for a gang of which nothing says that it is to be on RDMA
   */
  public static Optional<Proof> of(
      List<Nic> rails, Former before, List<Member> gang, boolean required) {
    List<Nic> wanted = rails.stream().filter(nic -> !nic.resource().isEmpty()).toList();
    if ((wanted.isEmpty() && !before.hadRdma() && !required) || gang.isEmpty()) {
      return Optional.empty();
    }
    List<Function<Member, Optional<Proof>>> rules =
        List.of(
            m -> resource(m, wanted),
            m -> RailAttachment.missing(m, wanted),
            m -> RailAttachment.fewerDevices(m, before),
            m -> socket(m, wanted),
            m -> devices(m, before, wanted),
            m -> direct(m, before),
            RdmaProof::unheard,
            RdmaProof::plugin);
    for (Function<Member, Optional<Proof>> rule : rules) {
      Optional<Proof> found = first(gang, rule);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.of(onRdma(gang));
  }

  /** The first that is found, and how many others there are like it. */
  private static Optional<Proof> first(List<Member> gang, Function<Member, Optional<Proof>> rule) {
    List<Proof> found = gang.stream().flatMap(m -> rule.apply(m).stream()).toList();
    if (found.size() < 2) {
      return found.stream().findFirst();
    }
    Proof one = found.getFirst();
    return Optional.of(
        new Proof(
            one.finding(),
            "%s; the same of %d others of %d"
                .formatted(one.detail(), found.size() - 1, gang.size()),
            found.stream().flatMap(p -> p.shown().stream()).toList()));
  }

  static Proof shownBy(Member member, Finding finding, String detail) {
    return new Proof(finding, detail, List.of(member));
  }

  private static Optional<Proof> resource(Member m, List<Nic> wanted) {
    return wanted.stream()
        .filter(nic -> !m.resources().contains(nic.resource()))
        .findFirst()
        .map(
            nic ->
                shownBy(
                    m,
                    Finding.RESOURCE_MISSING,
                    "%s does not ask for %s of rail %s"
                        .formatted(m.title(), nic.resource(), nic.title())));
  }

  private static Optional<Proof> socket(Member m, List<Nic> wanted) {
    Transport t = m.transport();
    return t == null || t.socketRanks() == 0
        ? Optional.empty()
        : Optional.of(
            shownBy(
                m,
                Finding.SOCKET_FALLBACK,
                "NCCL of %s sends over TCP in %d of %d processes%s"
                    .formatted(m.title(), t.socketRanks(), t.ranks(), named(wanted))));
  }

  private static String named(List<Nic> rails) {
    return rails.isEmpty()
        ? ""
        : rails.stream()
            .limit(MOST_NAMED)
            .map(Nic::title)
            .collect(Collectors.joining(", ", "; its rails are ", ""));
  }

  private static Optional<Proof> devices(Member m, Former before, List<Nic> wanted) {
    Transport t = m.transport();
    return t == null || t.fewestDevices() == 0 || t.fewestDevices() >= before.fewestDevices()
        ? Optional.empty()
        : Optional.of(
            shownBy(
                m,
                Finding.FEWER_DEVICES,
                "NCCL of %s found %d devices (%s), and %d before%s"
                    .formatted(
                        m.title(),
                        t.fewestDevices(),
                        String.join(", ", t.devices()),
                        before.fewestDevices(),
                        named(wanted))));
  }

  private static Optional<Proof> direct(Member m, Former before) {
    Transport t = m.transport();
    return t == null || !before.direct() || t.rdmaChannels() == 0 || isDirect(t)
        ? Optional.empty()
        : Optional.of(
            shownBy(
                m,
                Finding.GPU_DIRECT_LOST,
                "NCCL of %s uses GPUDirect RDMA on %d of %d channels, and on all before"
                    .formatted(m.title(), t.directChannels(), t.rdmaChannels())));
  }

  private static boolean isDirect(Transport t) {
    return t.rdmaChannels() > 0 && t.directChannels() == t.rdmaChannels();
  }

  private static Optional<Proof> unheard(Member m) {
    Transport t = m.transport();
    return t != null && t.ranks() > 0
        ? Optional.empty()
        : Optional.of(
            shownBy(
                m,
                Finding.NO_NCCL_LINES,
                "no line of NCCL names the network of %s: is NCCL_DEBUG=INFO set?"
                    .formatted(m.title())));
  }

  private static Optional<Proof> plugin(Member m) {
    Transport t = m.transport();
    return t == null || t.rdmaRanks() == t.ranks()
        ? Optional.empty()
        : Optional.of(
            shownBy(
                m,
                Finding.UNKNOWN_PLUGIN,
                "NCCL of %s uses %s, which may be RDMA or not"
                    .formatted(m.title(), String.join(", ", t.networks()))));
  }

  private static Proof onRdma(List<Member> gang) {
    String networks =
        gang.stream()
            .map(Member::transport)
            .flatMap(t -> t == null ? Stream.empty() : t.networks().stream())
            .distinct()
            .collect(Collectors.joining(", "));
    return new Proof(
        Finding.ON_RDMA,
        "NCCL of all %d pods is on %s".formatted(gang.size(), networks),
        List.of());
  }
}
