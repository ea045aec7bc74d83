package dev.rekindle.controller.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Transport;
import dev.rekindle.controller.network.EndpointView.Attached;
import dev.rekindle.controller.network.Nic.Family;
import dev.rekindle.controller.network.Nic.PoolSource;
import dev.rekindle.controller.network.RdmaProof.Finding;
import dev.rekindle.controller.network.RdmaProof.Former;
import dev.rekindle.controller.network.RdmaProof.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RdmaProofTest {
  private static final Nic RAIL_1 = rail("net1", "spidernet.io/rail1");
  private static final Nic RAIL_2 = rail("net2", "spidernet.io/rail2");
  private static final List<Nic> RAILS = List.of(RAIL_1, RAIL_2);
  private static final Transport IB = ib(2, 4, 4);
  private static final Transport SOCKET =
      new Transport(1, 0, 1, List.of("Socket"), List.of(), 0, 0, 0, 4, "");
  private static final Former FORMER = new Former(true, 2, true, 2);

  private static Nic rail(String name, String resource) {
    return new Nic(
        name,
        "spiderpool/" + name,
        "macvlan",
        resource,
        true,
        PoolSource.CONFIG,
        List.of(new Family(4, List.of(name), List.of(name))));
  }

  private static Transport ib(int devices, int channels, int direct) {
    List<String> names =
        Stream.iterate(0, i -> i + 1).limit(devices).map(i -> "mlx5_" + i).toList();
    return new Transport(1, 1, 0, List.of("IB"), names, devices, channels, direct, 0, "2.21.5");
  }

  private static Member member(int index, @Nullable Transport transport) {
    return member(index, transport, List.of(RAIL_1.resource(), RAIL_2.resource()), "net1", "net2");
  }

  private static Member member(
      int index, @Nullable Transport transport, List<String> resources, String... nics) {
    String pod = "j1-worker-" + index;
    return new Member(
        "worker/" + index,
        pod,
        "uid-" + index,
        "node-" + index,
        resources,
        new EndpointView(
            "train",
            pod,
            "uid-" + index,
            "node-" + index,
            "j1",
            Stream.of(nics).map(n -> new Attached(n, "10.0.0.1/24", n, "", "")).toList()),
        List.of(),
        transport);
  }

  static Stream<Arguments> table() {
    Member good = member(0, IB);
    List<String> both = List.of(RAIL_1.resource(), RAIL_2.resource());
    Transport plugin = new Transport(1, 0, 0, List.of("GIB"), List.of(), 0, 4, 0, 0, "");
    return Stream.of(
            Arguments.of(FORMER, member(1, IB), Finding.ON_RDMA, "all 2 pods is on IB"),
            Arguments.of(Former.UNKNOWN, member(1, ib(1, 4, 0)), Finding.ON_RDMA, ""),
            Arguments.of(
                FORMER,
                member(1, IB, List.of(RAIL_1.resource()), "net1", "net2"),
                Finding.RESOURCE_MISSING,
                "spidernet.io/rail2"),
            Arguments.of(
                FORMER, member(1, IB, both, "net1"), Finding.RAIL_NOT_ATTACHED, "rail net2"),
            Arguments.of(
                FORMER,
                attached(member(1, IB), nic(1, true, "mlx5_1"), nic(2, true, "mlx5_2")),
                Finding.ON_RDMA,
                ""),
            Arguments.of(
                FORMER,
                attached(member(1, IB), nic(1, true, "mlx5_1"), nic(3, true, "mlx5_3")),
                Finding.RAIL_NOT_ATTACHED,
                "no NIC on rail net2"),
            Arguments.of(
                FORMER,
                attached(member(1, IB), nic(1, true, "mlx5_1"), nic(2, false, "mlx5_2")),
                Finding.RAIL_NOT_ATTACHED,
                "without address on rail net2"),
            Arguments.of(
                FORMER,
                attached(member(1, IB), nic(1, true, "mlx5_1"), nic(2, true, "")),
                Finding.FEWER_DEVICES,
                "attached 1 devices for RDMA to rank worker/1 (pod j1-worker-1 on node node-1)"),
            Arguments.of(
                Former.UNKNOWN,
                attached(member(1, IB), nic(1, true, ""), nic(2, true, "")),
                Finding.ON_RDMA,
                ""),
            Arguments.of(FORMER, member(1, SOCKET), Finding.SOCKET_FALLBACK, "node-1"),
            Arguments.of(
                FORMER,
                member(1, SOCKET),
                Finding.SOCKET_FALLBACK,
                "its rails are net1 (spiderpool/net1), net2 (spiderpool/net2)"),
            Arguments.of(Former.UNKNOWN, member(1, SOCKET), Finding.SOCKET_FALLBACK, "worker/1"),
            Arguments.of(FORMER, member(1, ib(1, 4, 4)), Finding.FEWER_DEVICES, "1 devices"),
            Arguments.of(FORMER, member(1, ib(2, 4, 3)), Finding.GPU_DIRECT_LOST, "3 of 4"),
            Arguments.of(FORMER, member(1, null), Finding.NO_NCCL_LINES, "NCCL_DEBUG=INFO"),
            Arguments.of(Former.UNKNOWN, member(1, plugin), Finding.UNKNOWN_PLUGIN, "GIB"))
        .map(a -> Arguments.of(a.get()[0], List.of(good, a.get()[1]), a.get()[2], a.get()[3]));
  }

  private static AttachedNic nic(int rail, boolean addressed, String device) {
    return new AttachedNic("spiderpool/net" + rail, "net" + rail, addressed, device);
  }

  private static Member attached(Member m, AttachedNic... nics) {
    return new Member(
        m.rank(), m.pod(), m.uid(), m.node(), m.resources(), null, List.of(nics), m.transport());
  }

  @ParameterizedTest
  @MethodSource("table")
  void shouldSayWhatTheGangIsOn(Former former, List<Member> gang, Finding finding, String names) {
    assertThat(RdmaProof.of(RAILS, former, gang, false))
        .hasValueSatisfying(
            proof -> {
              assertThat(proof.finding()).isEqualTo(finding);
              assertThat(proof.detail()).contains(names);
              assertThat(proof.nodes())
                  .isEqualTo(finding == Finding.ON_RDMA ? List.of() : List.of("node-1"));
            });
  }

  @Test
  void shouldJudgeAGangThatNothingSpeaksForWhereItsOwnerRequiresRdma() {
    assertThat(RdmaProof.of(List.of(), Former.UNKNOWN, List.of(member(0, SOCKET)), true))
        .hasValueSatisfying(p -> assertThat(p.finding()).isEqualTo(Finding.SOCKET_FALLBACK));
    assertThat(RdmaProof.of(List.of(), Former.UNKNOWN, List.of(member(0, null)), true))
        .hasValueSatisfying(p -> assertThat(p.unknown()).isTrue());
  }

  @Test
  void shouldSayNothingOfAGangThatAsksForNoneAndHadNone() {
    assertThat(RdmaProof.of(List.of(), Former.UNKNOWN, List.of(member(0, SOCKET)), false))
        .isEmpty();
    assertThat(RdmaProof.of(RAILS, FORMER, List.of(), true)).isEmpty();
  }

  @Test
  void shouldNotTakeTheAddressesOfAFormerPodForThisOnes() {
    Member named = member(1, IB, List.of(RAIL_1.resource(), RAIL_2.resource()));
    Member next =
        new Member(
            named.rank(),
            named.pod(),
            "other",
            named.node(),
            named.resources(),
            named.endpoint(),
            List.of(),
            IB);
    assertThat(RdmaProof.of(RAILS, FORMER, List.of(next), false))
        .hasValueSatisfying(p -> assertThat(p.finding()).isEqualTo(Finding.ON_RDMA));
  }

  @Test
  void shouldKnowTheFormerGangOnlyWhereAllOfItWasHeard() {
    List<List<AttachedNic>> none = List.of(List.of(), List.of());
    assertThat(Former.of(List.of(IB, ib(4, 2, 2)), 2, none))
        .isEqualTo(new Former(true, 2, true, 0));
    assertThat(Former.of(List.of(IB), 2, none)).isEqualTo(Former.UNKNOWN);
    assertThat(Former.of(List.of(IB, SOCKET), 2, none)).isEqualTo(Former.UNKNOWN);
    assertThat(Former.of(List.of(), 2, List.of())).isEqualTo(Former.UNKNOWN);
  }

  @Test
  void shouldCountTheDevicesOfThePodWithTheFewest() {
    List<AttachedNic> two = List.of(nic(1, true, "mlx5_1"), nic(2, true, "mlx5_2"));
    List<AttachedNic> one = List.of(nic(1, true, "mlx5_1"), nic(2, true, "mlx5_1"));
    assertThat(Former.of(List.of(), 2, List.of(two, one)).attachedDevices()).isEqualTo(1);
    assertThat(Former.of(List.of(), 2, List.of(two, List.of())).attachedDevices()).isZero();
  }

  /** Whatever else is there, one rank on TCP is enough, and without any line nothing is True. */
  @Test
  void shouldNeverSayTrueOfAGangWithARankThatIsNotSeenOnRdma() {
    Random random = new Random(17);
    for (int tries = 0; tries < 300; tries++) {
      int size = 1 + random.nextInt(12);
      int at = random.nextInt(size);
      boolean silent = random.nextBoolean();
      List<Member> gang = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        gang.add(member(i, i == at ? (silent ? null : SOCKET) : IB));
      }
      assertThat(RdmaProof.of(RAILS, FORMER, gang, false))
          .hasValueSatisfying(
              p -> {
                assertThat(p.finding().status()).isEqualTo(silent ? "Unknown" : "False");
                assertThat(p.detail()).contains("j1-worker-" + at);
              });
    }
  }
}
