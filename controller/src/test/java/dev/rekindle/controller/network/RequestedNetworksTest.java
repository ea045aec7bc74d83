package dev.rekindle.controller.network;

import static dev.rekindle.controller.network.Networks.BY_GROUP;
import static dev.rekindle.controller.network.Networks.GROUP;
import static dev.rekindle.controller.network.Networks.pool;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.network.NetworkProblem.Kind;
import dev.rekindle.controller.network.NetworkWish.NetworkRef;
import dev.rekindle.controller.network.NetworkWish.PoolChoice;
import dev.rekindle.controller.network.Nic.Family;
import dev.rekindle.controller.network.Nic.PoolSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestedNetworksTest {
  static final ClusterNetworks RAILS =
      Networks.cluster(pool("r1-a", 4), pool("r1-b", 4), pool("r2-a", 4));

  static RequestedNetworks of(NetworkWish wish, ClusterNetworks cluster) {
    return RequestedNetworks.of("train", wish, cluster);
  }

  static ClusterNetworks with(ClusterNetworks cluster, NamespaceView namespace) {
    return new ClusterNetworks(
        cluster.pools(), cluster.configs(), List.of(namespace), cluster.webhooks());
  }

  @Test
  void shouldGiveEachMemberOfTheGroupANicWithItsPoolsAndResource() {
    RequestedNetworks asked = of(BY_GROUP, RAILS);

    assertThat(asked.nics())
        .containsExactly(
            new Nic(
                "net1",
                "spiderpool/gpu1",
                "macvlan",
                "spidernet.io/gpu1",
                true,
                PoolSource.CONFIG,
                List.of(new Family(4, List.of("r1-a", "r1-b"), List.of("r1-a", "r1-b")))),
            new Nic(
                "net2",
                "spiderpool/gpu2",
                "macvlan",
                "spidernet.io/gpu2",
                true,
                PoolSource.CONFIG,
                List.of(new Family(4, List.of("r2-a"), List.of("r2-a")))));
    assertThat(asked.injectedResources()).containsExactly("spidernet.io/gpu1", "spidernet.io/gpu2");
    assertThat(asked.problems()).isEmpty();
  }

  @Test
  void shouldTakeTheGroupOfTheNamespaceWherePodsNameNone() {
    NamespaceView train = new NamespaceView("train", GROUP, null, List.of(), List.of());

    assertThat(of(NetworkWish.NONE, with(RAILS, train)).nics()).hasSize(2);
    assertThat(RequestedNetworks.of("web", NetworkWish.NONE, with(RAILS, train)).nics()).isEmpty();
  }

  @Test
  void shouldLetThePodOverrideItsNamespace() {
    NamespaceView train = new NamespaceView("train", "other", null, List.of(), List.of());

    assertThat(of(BY_GROUP, with(RAILS, train)).nics()).hasSize(2);
  }

  @Test
  void shouldSayThatTheGroupIsUnknown() {
    NetworkWish nope = new NetworkWish("nope", null, List.of(), null, List.of(), false, List.of());

    assertThat(of(nope, RAILS).problem(Kind.UNKNOWN_GROUP)).isPresent();
  }

  @Test
  void shouldNotCountOnNicsThatNoWebhookAdds() {
    ClusterNetworks without =
        new ClusterNetworks(RAILS.pools(), RAILS.configs(), List.of(), List.of());

    assertThat(of(BY_GROUP, without).nics()).isEmpty();
    assertThat(of(BY_GROUP, without).problem(Kind.NO_INJECTION)).isPresent();
  }

  @Test
  void shouldReplaceTheNetworksOfTheTemplateByTheGroup() {
    NetworkWish both =
        new NetworkWish(
            GROUP,
            null,
            List.of(new NetworkRef("", "other", "")),
            null,
            List.of(),
            false,
            List.of());

    assertThat(of(both, RAILS).nics()).extracting(Nic::network).doesNotContain("train/other");
    assertThat(of(both, RAILS).problem(Kind.NETWORKS_REPLACED)).isPresent();
  }

  @Test
  void shouldReadNetworksOfTheTemplateWithPoolsForEachNic() {
    NetworkWish wish =
        Networks.byPools(
            List.of(
                new NetworkRef("spiderpool", "gpu1", ""),
                new NetworkRef("spiderpool", "gpu2", "rail2")),
            new PoolChoice("net1", List.of("r1-a"), List.of()),
            new PoolChoice("rail2", List.of("r2-*"), List.of()));

    assertThat(of(wish, RAILS).nics())
        .extracting(Nic::name, n -> n.families().getFirst().pools(), Nic::injected)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("net1", List.of("r1-a"), false),
            org.assertj.core.groups.Tuple.tuple("rail2", List.of("r2-a"), false));
  }

  @Test
  void shouldRequestNothingWithoutSpiderpool() {
    assertThat(of(BY_GROUP, ClusterNetworks.NONE)).isSameAs(RequestedNetworks.NONE);
  }

  @ParameterizedTest
  @CsvSource({
    "rail1*, rail1-node-7, true",
    "rail1*, rail2-node-7, false",
    "*-node-?, rail1-node-7, true",
    "*-node-?, rail1-node-77, false",
    "rail[1-3]-x, rail2-x, true",
    "rail[^1-3]-x, rail2-x, false",
    "rail[13]-x, rail2-x, false",
    "a*a*a*a*a*a*a*b, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, false",
    "rail[, rail[, true",
    "*, '', true"
  })
  void shouldMatchWildcards(String pattern, String name, boolean expected) {
    assertThat(Wildcards.match(pattern, name)).isEqualTo(expected);
  }
}
