package dev.rekindle.controller.network;

import dev.rekindle.api.Transport;
import dev.rekindle.controller.network.EndpointView.Attached;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether a gang that trains again is on RDMA as it was to be: by its pods' resources, by the
 * addresses of its NICs, by what NCCL prints, and by the time of its steps. What shows that it is
 * not weighs more than what is not known, and that more than what shows that it is.
 */
public final class RdmaProof {
  /** A gang is slower where its steps take so many times as long as before. */
  static final double SLOWER = 1.25;

  /** So many intervals between steps make a rate. */
  public static final int STEPS = 20;

  private RdmaProof() {}

  /** What was found: the reason of condition {@code RdmaRestored}, as Kubernetes spells reasons. */
  public enum Finding {
    /** Each rank is on RDMA, on as many devices as before. */
    ON_RDMA("OnRdma", "True"),
    /** A pod does not ask for a resource that the rails need: nothing has injected it. */
    RESOURCE_MISSING("RdmaResourceMissing", "False"),
    /** A pod has no NIC or no address on a rail. */
    RAIL_NOT_ATTACHED("RailNotAttached", "False"),
    /** A rank sends over TCP. */
    SOCKET_FALLBACK("NcclSocketFallback", "False"),
    /** A rank found fewer devices than before. */
    FEWER_DEVICES("FewerRdmaDevices", "False"),
    /** Data goes through the memory of hosts, and did not before. */
    GPU_DIRECT_LOST("GpuDirectLost", "False"),
    /** Steps take longer than before. */
    SLOWER_STEPS("SlowerThanBefore", "False"),
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
   * @param detail for people: the rank, pod, node and rail that show it
   */
  public record Proof(Finding finding, String detail) {}

  /**
   * A pod of the gang that trains again.
   *
   * @param rank what it is in the gang, {@code worker/3}
   * @param resources names of what its containers ask for
   * @param endpoint the addresses that it was given; absent where no SpiderEndpoint is seen
   * @param transport what NCCL prints in the run of its container; absent where it names no network
   */
  public record Member(
      String rank,
      String pod,
      String uid,
      String node,
      List<String> resources,
      @Nullable EndpointView endpoint,
      @Nullable Transport transport) {
    public Member {
      resources = List.copyOf(resources);
    }

    private String title() {
      return "rank %s (pod %s on node %s)".formatted(rank, pod, node);
    }
  }

  /**
   * The gang before the fault.
   *
   * @param onRdma whether all of its ranks were seen to use RDMA
   * @param fewestDevices devices of the rank with the fewest; 0 where they are not known
   * @param direct whether all data between nodes went from and to the memory of GPUs
   * @param secondsPerStep how long a step took; absent where that is not known
   */
  public record Former(
      boolean onRdma, int fewestDevices, boolean direct, OptionalDouble secondsPerStep) {
    /** Of which nothing is known. */
    public static final Former UNKNOWN = new Former(false, 0, false, OptionalDouble.empty());

    /** By what NCCL printed in its pods; none where a pod says nothing. */
    public static Former of(List<Transport> pods, int gangSize, OptionalDouble secondsPerStep) {
      boolean rdma =
          !pods.isEmpty()
              && pods.size() == gangSize
              && pods.stream().allMatch(t -> t.ranks() > 0 && t.rdmaRanks() == t.ranks());
      boolean direct = rdma && pods.stream().allMatch(RdmaProof::isDirect);
      int fewest = rdma ? pods.stream().mapToInt(Transport::fewestDevices).min().orElse(0) : 0;
      return new Former(rdma, fewest, direct, secondsPerStep);
    }
  }

  /** How fast the gang is now: intervals between steps that were measured, and their mean. */
  public record Rate(int intervals, double secondsPerStep) {}

  /**
   * What the gang is on.
   *
   * @param rails NICs that its pods are to get; those without a resource are none
   * @param before the gang before the fault
   * @param gang all of its pods, now
   * @param rate absent where no step was measured
   * @return empty for a gang that neither asks for RDMA nor was seen to use it
   */
  public static Optional<Proof> of(
      List<Nic> rails, Former before, List<Member> gang, @Nullable Rate rate) {
    List<Nic> wanted = rails.stream().filter(nic -> !nic.resource().isEmpty()).toList();
    if ((wanted.isEmpty() && !before.onRdma()) || gang.isEmpty()) {
      return Optional.empty();
    }
    List<Function<Member, Optional<Proof>>> looks =
        List.of(
            m -> resource(m, wanted),
            m -> attachment(m, wanted),
            RdmaProof::socket,
            m -> devices(m, before),
            m -> direct(m, before));
    for (Function<Member, Optional<Proof>> look : looks) {
      Optional<Proof> broken = first(gang, look);
      if (broken.isPresent()) {
        return broken;
      }
    }
    return Optional.of(
        slower(before, rate)
            .or(() -> first(gang, RdmaProof::unheard))
            .or(() -> first(gang, RdmaProof::plugin))
            .orElseGet(() -> onRdma(gang, rate)));
  }

  /** The first that is found, and how many others there are like it. */
  private static Optional<Proof> first(List<Member> gang, Function<Member, Optional<Proof>> look) {
    List<Proof> found = gang.stream().flatMap(m -> look.apply(m).stream()).toList();
    return found.isEmpty()
        ? Optional.empty()
        : Optional.of(
            found.size() == 1
                ? found.getFirst()
                : new Proof(
                    found.getFirst().finding(),
                    "%s; the same of %d others of %d"
                        .formatted(found.getFirst().detail(), found.size() - 1, gang.size())));
  }

  private static Optional<Proof> resource(Member m, List<Nic> wanted) {
    return wanted.stream()
        .filter(nic -> !m.resources().contains(nic.resource()))
        .findFirst()
        .map(
            nic ->
                new Proof(
                    Finding.RESOURCE_MISSING,
                    "%s does not ask for %s of rail %s"
                        .formatted(m.title(), nic.resource(), nic.title())));
  }

  /** One of a former pod of that name says nothing of this one. */
  private static Optional<Proof> attachment(Member m, List<Nic> wanted) {
    EndpointView endpoint = m.endpoint();
    if (endpoint == null || !endpoint.uid().equals(m.uid())) {
      return Optional.empty();
    }
    return wanted.stream()
        .filter(nic -> !nic.families().isEmpty())
        .filter(nic -> endpoint.nics().stream().noneMatch(has -> isOn(has, nic)))
        .findFirst()
        .map(
            nic ->
                new Proof(
                    Finding.RAIL_NOT_ATTACHED,
                    "%s has no address on rail %s".formatted(m.title(), nic.title())));
  }

  private static boolean isOn(Attached has, Nic nic) {
    return has.name().equals(nic.name()) && !(has.ipv4().isEmpty() && has.ipv6().isEmpty());
  }

  private static Optional<Proof> socket(Member m) {
    Transport t = m.transport();
    return t == null || t.socketRanks() == 0
        ? Optional.empty()
        : Optional.of(
            new Proof(
                Finding.SOCKET_FALLBACK,
                "NCCL of %s sends over TCP in %d of %d processes"
                    .formatted(m.title(), t.socketRanks(), t.ranks())));
  }

  private static Optional<Proof> devices(Member m, Former before) {
    Transport t = m.transport();
    return t == null || t.fewestDevices() == 0 || t.fewestDevices() >= before.fewestDevices()
        ? Optional.empty()
        : Optional.of(
            new Proof(
                Finding.FEWER_DEVICES,
                "NCCL of %s found %d devices (%s), and %d before"
                    .formatted(
                        m.title(),
                        t.fewestDevices(),
                        String.join(", ", t.devices()),
                        before.fewestDevices())));
  }

  private static Optional<Proof> direct(Member m, Former before) {
    Transport t = m.transport();
    return t == null || !before.direct() || t.rdmaChannels() == 0 || isDirect(t)
        ? Optional.empty()
        : Optional.of(
            new Proof(
                Finding.GPU_DIRECT_LOST,
                "NCCL of %s uses GPUDirect RDMA on %d of %d channels, and on all before"
                    .formatted(m.title(), t.directChannels(), t.rdmaChannels())));
  }

  private static boolean isDirect(Transport t) {
    return t.rdmaChannels() > 0 && t.directChannels() == t.rdmaChannels();
  }

  private static Optional<Proof> slower(Former before, @Nullable Rate rate) {
    double was = before.secondsPerStep().orElse(0);
    return rate == null
            || rate.intervals() < STEPS
            || was <= 0
            || rate.secondsPerStep() <= SLOWER * was
        ? Optional.empty()
        : Optional.of(
            new Proof(
                Finding.SLOWER_STEPS,
                "a step takes %.2f s, and took %.2f s before"
                    .formatted(rate.secondsPerStep(), was)));
  }

  private static Optional<Proof> unheard(Member m) {
    Transport t = m.transport();
    return t != null && t.ranks() > 0
        ? Optional.empty()
        : Optional.of(
            new Proof(
                Finding.NO_NCCL_LINES,
                "no line of NCCL names the network of %s: is NCCL_DEBUG=INFO set?"
                    .formatted(m.title())));
  }

  private static Optional<Proof> plugin(Member m) {
    Transport t = m.transport();
    return t == null || t.rdmaRanks() == t.ranks()
        ? Optional.empty()
        : Optional.of(
            new Proof(
                Finding.UNKNOWN_PLUGIN,
                "NCCL of %s uses %s, which may be RDMA or not"
                    .formatted(m.title(), String.join(", ", t.networks()))));
  }

  private static Proof onRdma(List<Member> gang, @Nullable Rate rate) {
    List<String> networks = new ArrayList<>();
    gang.stream()
        .map(Member::transport)
        .flatMap(t -> t == null ? Stream.empty() : t.networks().stream())
        .distinct()
        .forEach(networks::add);
    String speed =
        rate == null || rate.intervals() < STEPS
            ? "; too few steps to compare their time"
            : "; a step takes %.2f s".formatted(rate.secondsPerStep());
    return new Proof(
        Finding.ON_RDMA,
        "NCCL of all %d pods is on %s%s"
            .formatted(gang.size(), String.join(", ", networks), speed));
  }
}
