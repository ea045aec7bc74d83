package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.controller.Policies;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.port.Changes;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PolicyFeedTest {
  private final List<String> changed = new ArrayList<>();
  private final Changes changes = Changes.to(_ -> {}, _ -> {}, changed::add);
  private final FlatState state = new FlatState(changes);
  private final Feed<RecoveryPolicy> feed =
      new KubernetesFeeds(state, new KeptConditions(_ -> _ -> false), changes).policies();
  private int version;

  private RecoveryPolicy policy(String name, long generation, String spec) {
    RecoveryPolicy policy = new RecoveryPolicy();
    policy.setMetadata(
        new ObjectMetaBuilder()
            .withName(name)
            .withGeneration(generation)
            .withResourceVersion("" + ++version)
            .build());
    policy.setSpec(Policies.spec(spec));
    return policy;
  }

  private List<String> changed() {
    List<String> now = List.copyOf(changed);
    changed.clear();
    return now;
  }

  @Test
  void shouldPassOnANewSpecAndNoNewStatus() {
    feed.present(policy("gold", 1, "{}"));
    assertThat(changed()).containsExactly("gold");
    feed.present(policy("gold", 1, "{}"));
    assertThat(changed()).isEmpty();
    feed.present(policy("gold", 2, "{mode: observe}"));
    assertThat(changed()).containsExactly("gold");
    feed.gone(policy("gold", 2, "{}"));
    assertThat(changed()).containsExactly("gold");
  }

  @Test
  void shouldHaveAllPoliciesJudgedAgainWhereTheDefaultChanges() {
    feed.present(policy("gold", 1, "{}"));
    changed();
    feed.present(policy("default", 1, "{}"));
    assertThat(changed()).contains("gold", "default");
    feed.present(policy("default", 1, "{}"));
    assertThat(changed()).isEmpty();
    feed.gone(policy("default", 1, "{}"));
    assertThat(changed()).contains("gold");
  }

  @Test
  void shouldNotUseAPolicyThatIsNotAccepted() {
    feed.present(policy("gold", 1, "{}"));
    assertThat(state.policy("gold")).isPresent();
    feed.present(policy("gold", 2, "{detection: {stallSeconds: 1}}"));
    assertThat(state.policy("gold")).isEmpty();
    assertThat(state.policies()).containsExactly("gold");
  }
}
