package dev.rekindle.controller.network;

import static dev.rekindle.controller.network.RdmaProofTest.FORMER;
import static dev.rekindle.controller.network.RdmaProofTest.IB;
import static dev.rekindle.controller.network.RdmaProofTest.RAILS;
import static dev.rekindle.controller.network.RdmaProofTest.RAIL_1;
import static dev.rekindle.controller.network.RdmaProofTest.RAIL_2;
import static dev.rekindle.controller.network.RdmaProofTest.SOCKET;
import static dev.rekindle.controller.network.RdmaProofTest.ib;
import static dev.rekindle.controller.network.RdmaProofTest.member;
import static dev.rekindle.controller.network.RdmaProofTest.nic;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Transport;
import dev.rekindle.controller.network.RdmaProof.Finding;
import dev.rekindle.controller.network.RdmaProof.Former;
import dev.rekindle.controller.network.RdmaProof.Member;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a gang is on, by what its ranks and the cluster say. */
class RdmaProofTableTest {

  static Stream<Arguments> table() {
    Member good = member(0, IB);
    List<String> both = List.of(RAIL_1.resource(), RAIL_2.resource());
    Transport oneOfFour =
        new Transport(4, 3, 1, List.of("IB", "Socket"), List.of("mlx5_1"), 1, 9, 0, 3, "");
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
                FORMER, member(1, oneOfFour), Finding.SOCKET_FALLBACK, "TCP in 1 of 4 processes"),
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
}
