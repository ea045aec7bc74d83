package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.rekindle.controller.network.NetworkWish;
import dev.rekindle.controller.network.NetworkWish.NetworkRef;
import dev.rekindle.controller.network.NetworkWish.PoolChoice;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Annotations as Multus 4.2 and Spiderpool 1.2 take them. */
class WishReaderTest {
  private static NetworkWish wish(String key, String value) {
    return WishReader.of(Map.of(key, value));
  }

  @Test
  void shouldRequestNothingWithoutAnnotations() {
    assertThat(WishReader.of(Map.of("team", "llm"))).isSameAs(NetworkWish.NONE);
  }

  @Test
  void shouldReadTheGroup() {
    assertThat(wish(WishReader.RDMA_GROUP, "gpu-net").rdmaGroup()).isEqualTo("gpu-net");
    assertThat(wish(WishReader.NETWORK_GROUP, "").networkGroup()).isEmpty();
  }

  @Test
  void shouldReadNetworksInBothForms() {
    List<NetworkRef> expected =
        List.of(new NetworkRef("spiderpool", "gpu1", ""), new NetworkRef("", "gpu2", "rail2"));

    assertThat(wish(WishReader.NETWORKS, "spiderpool/gpu1, gpu2@rail2").networks())
        .isEqualTo(expected);
    assertThat(
            wish(
                    WishReader.NETWORKS,
                    """
                    [{"name":"gpu1","namespace":"spiderpool"},{"name":"gpu2","interface":"rail2"}]
                    """)
                .networks())
        .isEqualTo(expected);
  }

  @Test
  void shouldReadTheDefaultNetwork() {
    assertThat(wish(WishReader.DEFAULT_NETWORK, "spiderpool/tb-default").defaultNetwork())
        .isEqualTo(new NetworkRef("spiderpool", "tb-default", ""));
  }

  @Test
  void shouldReadPools() {
    assertThat(wish(WishReader.POOL, "{\"ipv4\": [\"leaf-a\", \"leaf-b\"]}").pools())
        .containsExactly(new PoolChoice("", List.of("leaf-a", "leaf-b"), List.of()));
    assertThat(
            WishReader.of(
                    Map.of(
                        WishReader.POOL,
                        "{\"ipv4\": [\"other\"]}",
                        WishReader.POOLS,
                        "[{\"interface\":\"net1\",\"ipv4\":[\"a\"],\"ipv6\":[\"b\"]}]"))
                .pools())
        .containsExactly(new PoolChoice("net1", List.of("a"), List.of("b")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "k8s.v1.cni.cncf.io/networks | a/b/c",
        "k8s.v1.cni.cncf.io/networks | gpu1,",
        "k8s.v1.cni.cncf.io/networks | [{\"namespace\":\"x\"}]",
        "k8s.v1.cni.cncf.io/networks | [broken",
        "ipam.spidernet.io/ippool | leaf-a",
        "ipam.spidernet.io/ippool | {\"ipv4\":\"leaf-a\"}",
        "ipam.spidernet.io/ippools | {}",
        "ipam.spidernet.io/ippools | [{\"ipv4\":[\"a\"]}]",
        "ipam.spidernet.io/ippools | "
            + "[{\"interface\":\"net1\",\"ipv4\":[\"a\"]},{\"interface\":\"net1\",\"ipv4\":[\"b\"]}]"
      })
  void shouldSayWhatMakesNoSenseAndTakeItForAbsent(String key, String value) {
    NetworkWish wish = wish(key, value);

    assertThat(wish.unreadable()).hasSize(1).first().asString().startsWith(key);
    assertThat(wish.networks()).isEmpty();
    assertThat(wish.pools()).isEmpty();
  }

  @Test
  void shouldNotReadWhatIsTooLong() {
    assertThat(wish(WishReader.NETWORKS, "gpu1,".repeat(10_000) + "gpu2").unreadable()).hasSize(1);
    assertThat(wish(WishReader.RDMA_GROUP, "x".repeat(100_000)).rdmaGroup()).isNull();
  }

  @Test
  void shouldNeverThrow() {
    Random random = new Random(17);
    String parts = "[{\"a:,/@]}n ";
    for (int i = 0; i < 5_000; i++) {
      StringBuilder text = new StringBuilder();
      random.ints(random.nextInt(40), 0, parts.length()).forEach(c -> text.append(parts.charAt(c)));
      String value = text.toString();
      assertThatCode(
              () ->
                  WishReader.of(
                      Map.of(
                          WishReader.NETWORKS, value,
                          WishReader.DEFAULT_NETWORK, value,
                          WishReader.POOLS, value,
                          WishReader.POOL, value,
                          WishReader.RDMA_GROUP, value)))
          .as(value)
          .doesNotThrowAnyException();
    }
  }
}
