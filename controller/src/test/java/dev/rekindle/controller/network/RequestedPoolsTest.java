package dev.rekindle.controller.network;

import static dev.rekindle.controller.network.Networks.BY_GROUP;
import static dev.rekindle.controller.network.Networks.GROUP;
import static dev.rekindle.controller.network.Networks.WEBHOOK;
import static dev.rekindle.controller.network.Networks.pool;
import static dev.rekindle.controller.network.Networks.rail;
import static dev.rekindle.controller.network.RequestedNetworksTest.RAILS;
import static dev.rekindle.controller.network.RequestedNetworksTest.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.network.NetworkProblem.Kind;
import dev.rekindle.controller.network.NetworkWish.PoolChoice;
import dev.rekindle.controller.network.Nic.PoolSource;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which pools the NICs of a pod take. */
class RequestedPoolsTest {

  @Test
  void shouldTakeOnePoolForTheOnlyNic() {
    NetworkWish wish = Networks.byPools(List.of(), new PoolChoice("", List.of("r1-a"), List.of()));

    assertThat(RequestedNetworksTest.of(wish, RAILS).nics())
        .extracting(Nic::name)
        .containsExactly("eth0");
  }

  @Test
  void shouldTakeTheDefaultPoolOfTheNamespaceBeforeThoseOfTheRailsAndSaySo() {
    NamespaceView train = new NamespaceView("train", null, null, List.of("r1-b"), List.of());
    RequestedNetworks asked = RequestedNetworksTest.of(BY_GROUP, with(RAILS, train));

    assertThat(asked.nics()).extracting(Nic::source).containsOnly(PoolSource.NAMESPACE);
    assertThat(asked.problem(Kind.DEFAULT_POOL_OVER_RAILS)).isPresent();
    assertThat(asked.problem(Kind.SHARED_POOL)).isPresent();
  }

  @Test
  void shouldTakeTheDefaultPoolsOfTheClusterLast() {
    ClusterNetworks cluster =
        new ClusterNetworks(
            List.of(pool("common", 9).withIsDefault(true), pool("r1", 9)),
            List.of(rail(1)),
            List.of(),
            List.of(WEBHOOK));

    assertThat(
            RequestedNetworksTest.of(BY_GROUP, cluster)
                .nics()
                .getFirst()
                .families()
                .getFirst()
                .pools())
        .containsExactly("common");
    assertThat(RequestedNetworksTest.of(BY_GROUP, cluster).problem(Kind.INCOMPLETE_CONFIG))
        .isPresent();
  }

  @Test
  void shouldNameAPoolThatDoesNotExist() {
    NetworkWish wish = Networks.byPools(List.of(), new PoolChoice("", List.of("nope"), List.of()));

    assertThat(RequestedNetworksTest.of(wish, RAILS).problem(Kind.MISSING_POOL))
        .hasValueSatisfying(p -> assertThat(p.detail()).contains("nope"));
  }

  @Test
  void shouldLeaveOutPoolsOfOtherNetworksAndNamespaces() {
    ClusterNetworks cluster =
        Networks.cluster(
            pool("r1-a", 4).withMultusNames(Set.of("spiderpool/gpu2")),
            pool("r1-b", 4).withNamespaceNames(Set.of("web")),
            pool("r1-c", 4).withMultusNames(Set.of("gpu1")));

    assertThat(
            RequestedNetworksTest.of(BY_GROUP, cluster)
                .nics()
                .getFirst()
                .families()
                .getFirst()
                .pools())
        .containsExactly("r1-c");
  }

  @Test
  void shouldKnowNoPoolsOfSubnets() {
    NetworkWish wish = new NetworkWish(GROUP, null, List.of(), null, List.of(), true, List.of());

    assertThat(RequestedNetworksTest.of(wish, RAILS).nics())
        .allSatisfy(n -> assertThat(n.families()).isEmpty());
  }
}
