package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.PolicyAcceptance;
import dev.rekindle.controller.model.PolicyAcceptance.Reason;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(crud = true)
class PolicyCallsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final PolicyAcceptance FINE =
      new PolicyAcceptance(true, Reason.ACCEPTED, "serves the jobs that name it");

  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesClient client;

  private Instant now = NOW;

  @SuppressWarnings("NullAway.Init") // set before each test
  private PolicyCalls calls;

  @BeforeEach
  void setUp() {
    FlatState state = new FlatState(new IgnoredChanges());
    calls =
        new PolicyCalls(client, new Circuits(() -> false).of("recoverypolicies"), state, () -> now);
    RecoveryPolicy policy = new RecoveryPolicy();
    policy.setMetadata(new ObjectMetaBuilder().withName("gold").withGeneration(3L).build());
    policy.setSpec(RecoveryPolicySpec.NONE);
    client.resource(policy).create();
  }

  private RecoveryPolicy stored() {
    return client.resources(RecoveryPolicy.class).withName("gold").get();
  }

  private Condition condition() {
    List<Condition> conditions = stored().getStatus().conditions();
    assertThat(conditions).hasSize(1);
    return conditions.getFirst();
  }

  @Test
  void shouldSayOfWhichGenerationItSpeaks() {
    calls.accept("gold", _ -> FINE);

    Condition c = condition();
    assertThat(c.getType()).isEqualTo("Accepted");
    assertThat(c.getStatus()).isEqualTo("True");
    assertThat(c.getReason()).isEqualTo("Accepted");
    assertThat(c.getMessage()).isEqualTo("serves the jobs that name it");
    assertThat(c.getObservedGeneration()).isEqualTo(stored().getMetadata().getGeneration());
    assertThat(c.getLastTransitionTime()).isEqualTo("2026-01-01T00:00:00Z");
  }

  @Test
  void shouldWriteNothingThatIsThereAlready() {
    calls.accept("gold", _ -> FINE);
    String version = stored().getMetadata().getResourceVersion();
    now = NOW.plusSeconds(60);
    calls.accept("gold", _ -> FINE);
    assertThat(stored().getMetadata().getResourceVersion()).isEqualTo(version);
  }

  @Test
  void shouldMoveTheTransitionTimeWithTheStatusOnly() {
    calls.accept("gold", _ -> FINE);
    now = NOW.plusSeconds(60);
    calls.accept("gold", _ -> new PolicyAcceptance(true, Reason.LIMITED, "less"));
    assertThat(condition().getLastTransitionTime()).isEqualTo("2026-01-01T00:00:00Z");
    calls.accept("gold", _ -> new PolicyAcceptance(false, Reason.INVALID, "not used"));
    assertThat(condition().getStatus()).isEqualTo("False");
    assertThat(condition().getLastTransitionTime()).isEqualTo("2026-01-01T00:01:00Z");
  }

  /** The API server refuses a message above 32,768 bytes, and would for ever. */
  @Test
  void shouldCutAMessageThatIsTooLong() {
    PolicyAcceptance wordy = new PolicyAcceptance(false, Reason.INVALID, "x".repeat(100_000));
    calls.accept("gold", _ -> wordy);
    assertThat(condition().getMessage()).hasSizeLessThanOrEqualTo(1024);
    String version = stored().getMetadata().getResourceVersion();
    calls.accept("gold", _ -> wordy);
    assertThat(stored().getMetadata().getResourceVersion()).isEqualTo(version);
  }

  @Test
  void shouldKeepTheScorecardAndLeaveTheConditionToIt() {
    calls.accept("gold", _ -> FINE);
    calls.score("gold", card -> new Scorecard(NOW, card.fences(), card.restarts(), card.recent()));
    calls.accept("gold", _ -> new PolicyAcceptance(true, Reason.LIMITED, "less"));
    assertThat(condition().getReason()).isEqualTo("LimitedByDefault");
    assertThat(stored().getStatus().scorecard()).isNotNull();
  }

  @Test
  void shouldNotJudgeAPolicyThatIsGone() {
    List<RecoveryPolicySpec> asked = new ArrayList<>();
    calls.accept(
        "silver",
        spec -> {
          asked.add(spec);
          return FINE;
        });
    assertThat(asked).isEmpty();
  }
}
