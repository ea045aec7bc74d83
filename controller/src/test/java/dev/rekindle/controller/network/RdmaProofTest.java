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

class RdmaProofTest {
  static final Nic RAIL_1 = rail("net1", "spidernet.io/rail1");
  static final Nic RAIL_2 = rail("net2", "spidernet.io/rail2");
  static final List<Nic> RAILS = List.of(RAIL_1, RAIL_2);
  static final Transport IB = ib(2, 4, 4);
  static final Transport SOCKET =
      new Transport(1, 0, 1, List.of("Socket"), List.of(), 0, 0, 0, 4, "");
  static final Former FORMER = new Former(true, 2, true, 2);

  static Nic rail(String name, String resource) {
    return new Nic(
        name,
        "spiderpool/" + name,
        "macvlan",
        resource,
        true,
        PoolSource.CONFIG,
        List.of(new Family(4, List.of(name), List.of(name))));
  }

  static Transport ib(int devices, int channels, int direct) {
    List<String> names =
        Stream.iterate(0, i -> i + 1).limit(devices).map(i -> "mlx5_" + i).toList();
    return new Transport(1, 1, 0, List.of("IB"), names, devices, channels, direct, 0, "2.21.5");
  }

  static Member member(int index, @Nullable Transport transport) {
    return member(index, transport, List.of(RAIL_1.resource(), RAIL_2.resource()), "net1", "net2");
  }

  static Member member(
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

  static AttachedNic nic(int rail, boolean addressed, String device) {
    return new AttachedNic("spiderpool/net" + rail, "net" + rail, addressed, device);
  }

  @Test
  void shouldJudgeAGangThatNothingReportsOnWhereItsOwnerRequiresRdma() {
    assertThat(RdmaProof.of(List.of(), Former.UNKNOWN, List.of(member(0, SOCKET)), true))
        .hasValueSatisfying(p -> assertThat(p.finding()).isEqualTo(Finding.SOCKET_FALLBACK));
    assertThat(RdmaProof.of(List.of(), Former.UNKNOWN, List.of(member(0, null)), true))
        .hasValueSatisfying(p -> assertThat(p.unknown()).isTrue());
  }

  @Test
  void shouldSayNothingOfAGangThatRequestsNoneAndHadNone() {
    assertThat(RdmaProof.of(List.of(), Former.UNKNOWN, List.of(member(0, SOCKET)), false))
        .isEmpty();
    assertThat(RdmaProof.of(RAILS, FORMER, List.of(), true)).isEmpty();
  }

  @Test
  void shouldTakeANicWithAnAddressOfEitherFamilyForAttached() {
    assertThat(RdmaProof.of(RAILS, FORMER, List.of(addressed("", "fd00::2/64")), false))
        .hasValueSatisfying(p -> assertThat(p.finding()).isEqualTo(Finding.ON_RDMA));
    assertThat(RdmaProof.of(RAILS, FORMER, List.of(addressed("10.0.0.2/24", "")), false))
        .hasValueSatisfying(p -> assertThat(p.finding()).isEqualTo(Finding.ON_RDMA));
    assertThat(RdmaProof.of(RAILS, FORMER, List.of(addressed("", "")), false))
        .hasValueSatisfying(p -> assertThat(p.finding()).isEqualTo(Finding.RAIL_NOT_ATTACHED));
  }

  private static Member addressed(String ipv4, String ipv6) {
    Member named = member(1, IB);
    List<Attached> nics =
        RAILS.stream().map(n -> new Attached(n.name(), ipv4, n.name(), ipv6, n.name())).toList();
    return new Member(
        named.rank(),
        named.pod(),
        named.uid(),
        named.node(),
        named.resources(),
        new EndpointView("train", named.pod(), named.uid(), named.node(), "j1", nics),
        List.of(),
        IB);
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
