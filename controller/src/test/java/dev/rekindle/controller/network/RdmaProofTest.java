package dev.rekindle.controller.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Transport;
import dev.rekindle.controller.network.EndpointView.Attached;
import dev.rekindle.controller.network.Nic.Family;
import dev.rekindle.controller.network.Nic.PoolSource;
import dev.rekindle.controller.network.RdmaProof.Finding;
import dev.rekindle.controller.network.RdmaProof.Former;
import dev.rekindle.controller.network.RdmaProof.Member;
import dev.rekindle.controller.network.RdmaProof.Rate;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
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
  private static final Former FORMER = new Former(true, 2, true, OptionalDouble.of(10));
  private static final Rate SAME = new Rate(RdmaProof.STEPS, 10);

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
        transport);
  }

  static Stream<Arguments> table() {
    Member good = member(0, IB);
    List<String> both = List.of(RAIL_1.resource(), RAIL_2.resource());
    Transport plugin = new Transport(1, 0, 0, List.of("GIB"), List.of(), 0, 4, 0, 0, "");
    return Stream.of(
            Arguments.of(FORMER, member(1, IB), SAME, Finding.ON_RDMA, ""),
            Arguments.of(FORMER, member(1, IB), null, Finding.ON_RDMA, "too few steps"),
            Arguments.of(Former.UNKNOWN, member(1, ib(1, 4, 0)), SAME, Finding.ON_RDMA, ""),
            Arguments.of(
                FORMER,
                member(1, IB, List.of(RAIL_1.resource()), "net1", "net2"),
                SAME,
                Finding.RESOURCE_MISSING,
                "spidernet.io/rail2"),
            Arguments.of(
                FORMER, member(1, IB, both, "net1"), SAME, Finding.RAIL_NOT_ATTACHED, "rail net2"),
            Arguments.of(FORMER, member(1, SOCKET), SAME, Finding.SOCKET_FALLBACK, "node-1"),
            Arguments.of(
                Former.UNKNOWN, member(1, SOCKET), SAME, Finding.SOCKET_FALLBACK, "worker/1"),
            Arguments.of(FORMER, member(1, ib(1, 4, 4)), SAME, Finding.FEWER_DEVICES, "1 devices"),
            Arguments.of(FORMER, member(1, ib(2, 4, 3)), SAME, Finding.GPU_DIRECT_LOST, "3 of 4"),
            Arguments.of(
                FORMER,
                member(1, IB),
                new Rate(RdmaProof.STEPS, 12.6),
                Finding.SLOWER_STEPS,
                "12.60"),
            Arguments.of(
                FORMER, member(1, IB), new Rate(RdmaProof.STEPS, 12.5), Finding.ON_RDMA, ""),
            Arguments.of(
                FORMER,
                member(1, IB),
                new Rate(RdmaProof.STEPS - 1, 99),
                Finding.ON_RDMA,
                "too few"),
            Arguments.of(FORMER, member(1, null), SAME, Finding.NO_NCCL_LINES, "NCCL_DEBUG=INFO"),
            Arguments.of(Former.UNKNOWN, member(1, plugin), SAME, Finding.UNKNOWN_PLUGIN, "GIB"))
        .map(
            a ->
                Arguments.of(
                    a.get()[0], List.of(good, a.get()[1]), a.get()[2], a.get()[3], a.get()[4]));
  }

  @ParameterizedTest
  @MethodSource("table")
  void shouldSayWhatTheGangIsOn(
      Former former, List<Member> gang, @Nullable Rate rate, Finding finding, String names) {
    assertThat(RdmaProof.of(RAILS, former, gang, rate))
        .hasValueSatisfying(
            proof -> {
              assertThat(proof.finding()).isEqualTo(finding);
              assertThat(proof.detail()).contains(names);
            });
  }

  @Test
  void shouldSayNothingOfAGangThatAsksForNoneAndHadNone() {
    assertThat(RdmaProof.of(List.of(), Former.UNKNOWN, List.of(member(0, SOCKET)), SAME)).isEmpty();
    assertThat(RdmaProof.of(RAILS, FORMER, List.of(), SAME)).isEmpty();
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
            IB);
    assertThat(RdmaProof.of(RAILS, FORMER, List.of(next), SAME))
        .hasValueSatisfying(p -> assertThat(p.finding()).isEqualTo(Finding.ON_RDMA));
  }

  @Test
  void shouldKnowTheFormerGangOnlyWhereAllOfItWasHeard() {
    assertThat(Former.of(List.of(IB, ib(4, 2, 2)), 2, OptionalDouble.empty()))
        .isEqualTo(new Former(true, 2, true, OptionalDouble.empty()));
    assertThat(Former.of(List.of(IB), 2, OptionalDouble.empty())).isEqualTo(Former.UNKNOWN);
    assertThat(Former.of(List.of(IB, SOCKET), 2, OptionalDouble.empty())).isEqualTo(Former.UNKNOWN);
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
      assertThat(RdmaProof.of(RAILS, FORMER, gang, SAME))
          .hasValueSatisfying(
              p -> {
                assertThat(p.finding().status()).isEqualTo(silent ? "Unknown" : "False");
                assertThat(p.detail()).contains("j1-worker-" + at);
              });
    }
  }
}
