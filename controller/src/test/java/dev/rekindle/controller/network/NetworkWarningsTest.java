package dev.rekindle.controller.network;

import static dev.rekindle.controller.network.Networks.BY_GROUP;
import static dev.rekindle.controller.network.Networks.cluster;
import static dev.rekindle.controller.network.Networks.pool;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.network.NetworkProblem.Kind;
import dev.rekindle.controller.network.PoolView.Booking;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkWarningsTest {
  private static List<Kind> kinds(ClusterNetworks networks, String version, String... nodes) {
    return NetworkWarnings.of(
            RequestedNetworks.of("train", BY_GROUP, networks),
            new Installation(networks, List.of(nodes), version),
            List.of("node-7"))
        .stream()
        .map(NetworkProblem::kind)
        .toList();
  }

  @Test
  void shouldFindNothingWhereThereAreSparesOfEverything() {
    assertThat(kinds(cluster(pool("r1", 2), pool("r2", 2)), "1.2.1", "node-1", "node-2")).isEmpty();
  }

  @Test
  void shouldWarnOfAnExactPool() {
    assertThat(kinds(cluster(pool("r1", 1, new Booking("train/a", "u")), pool("r2", 2)), "1.2.1"))
        .containsExactly(Kind.NO_SPARE_ADDRESS);
    assertThat(kinds(cluster(pool("r1", 1).withBookings(null), pool("r2", 2)), "1.2.1"))
        .as("unknown is not full")
        .isEmpty();
  }

  @Test
  void shouldWarnOfAWebhookInOnePlaceAndSayThatItIsFaulty() {
    ClusterNetworks networks = cluster(pool("r1", 2), pool("r2", 2));

    assertThat(kinds(networks, "", "node-7"))
        .containsExactly(Kind.WEBHOOK_NOT_SPARE, Kind.WEBHOOK_REFUSES_PODS);
    assertThat(
            NetworkWarnings.of(
                RequestedNetworks.of("train", BY_GROUP, networks),
                new Installation(networks, List.of("node-7"), ""),
                List.of("node-7")))
        .first()
        .satisfies(p -> assertThat(p.detail()).contains("node-7, which has a fault"));
  }

  @ParameterizedTest
  @CsvSource({
    "0.8.9, true",
    "0.9.12, true",
    "0.9.13, false",
    "1.0.3, true",
    "1.0.4, false",
    "1.1.0, false",
    "1.2.1, false",
    "1.0.3-rc1, true",
    "latest, false",
    "'', false",
    "99999999999.0.0, false"
  })
  void shouldKnowVersionsThatKeepAddresses(String version, boolean old) {
    assertThat(NetworkWarnings.isOld(version)).isEqualTo(old);
  }

  @Test
  void shouldNotJudgeAVersionForAJobWithoutNics() {
    ClusterNetworks networks = cluster(pool("r1", 2));

    assertThat(
            NetworkWarnings.of(
                RequestedNetworks.of("train", NetworkWish.NONE, networks),
                new Installation(networks, List.of("node-1"), "0.8.0"),
                List.of()))
        .isEmpty();
  }
}
