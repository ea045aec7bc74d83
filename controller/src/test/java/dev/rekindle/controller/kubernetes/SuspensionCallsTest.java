package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import org.junit.jupiter.api.Test;

/** Jobs that are suspended, resumed and revived. */
class SuspensionCallsTest extends KubernetesGatewayFixture {
  @Test
  void shouldSuspendResumeAndSayItTwiceWithoutHarm() {
    String uid = job(OPTED_IN, "false", "{}");
    gateway.suspend(JOB, uid, "r1", "r1-1");
    gateway.suspend(JOB, uid, "r1", "r1-1");
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isTrue();
    assertThat(stored().getMetadata().getAnnotations())
        .containsEntry("rekindle.dev/suspended-by", "r1");
    gateway.resume(JOB, uid, order("r1"));
    gateway.resume(JOB, uid, order("r1"));
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isFalse();
    assertThat(stored().getMetadata().getAnnotations())
        .doesNotContainEntry("rekindle.dev/suspended-by", "r1")
        .containsEntry("rekindle.dev/excluded-nodes", "n1");
    assertThat(stored().getSpec().getAdditionalProperties()).containsKey("future");
  }

  @Test
  void shouldNotTakeAJobForSuspendedByUsOnTheWordOfACopiedMark() {
    String uid = job(OPTED_IN + ", rekindle.dev/suspended-by: r1", "true", "{}");
    assertThatThrownBy(() -> gateway.resume(JOB, uid, order("r1")))
        .isInstanceOf(StaleException.class);
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isTrue();
  }

  @Test
  void shouldNotTouchAJobThatIsNotTheOneMeant() {
    job(OPTED_IN, "false", "{}");
    assertThatThrownBy(() -> gateway.suspend(JOB, "other-uid", "r1", "r1-1"))
        .isInstanceOf(StaleException.class);
    assertThatThrownBy(() -> gateway.suspend(new JobKey("team", "none"), "u", "r1", "r1-1"))
        .isInstanceOf(StaleException.class);
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isFalse();
  }

  @Test
  void shouldNotTouchAJobThatItsUserSuspended() {
    String uid = job(OPTED_IN, "true", "{}");
    assertThatThrownBy(() -> gateway.suspend(JOB, uid, "r1", "r1-1"))
        .isInstanceOf(StaleException.class);
    assertThatThrownBy(() -> gateway.revive(JOB, uid, "r1")).isInstanceOf(StaleException.class);
    assertThatThrownBy(() -> gateway.resume(JOB, uid, order("r1")))
        .isInstanceOf(StaleException.class);
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isTrue();
  }

  @Test
  void shouldNotSuspendAJobThatOptedOutButResumeOneThatDidSoLater() {
    String uid = job("", "false", "{}");
    assertThatThrownBy(() -> gateway.suspend(JOB, uid, "r1", "r1-1"))
        .isInstanceOf(StaleException.class)
        .hasMessageContaining("opted out");
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isFalse();
    client.resource(stored()).delete();

    String later = job(OPTED_IN, "false", "{}");
    gateway.suspend(JOB, later, "r1", "r1-1");
    var _ =
        client
            .resource(stored())
            .edit(
                j -> {
                  j.getMetadata().getAnnotations().remove("rekindle.dev/recover");
                  return j;
                });
    gateway.suspend(JOB, later, "r2", "r2-1");
    gateway.resume(JOB, later, order("r2"));
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isFalse();
  }

  @Test
  void shouldNotSuspendAJobThatHasSucceeded() {
    String uid = job(OPTED_IN, "false", "{conditions: [{type: Succeeded, status: 'True'}]}");
    assertThatThrownBy(() -> gateway.suspend(JOB, uid, "r1", "r1-1"))
        .isInstanceOf(StaleException.class);
  }

  @Test
  void shouldReviveOnlyWhatItsRecoverySuspended() {
    String uid =
        job(
            OPTED_IN,
            "false",
            "{completionTime: '2026-01-01T00:00:00Z', conditions: [{type: Created, status: 'True'},"
                + " {type: Failed, status: 'True', future: 1}]}");
    gateway.suspend(JOB, uid, "r1", "r1-1");
    assertThatThrownBy(() -> gateway.revive(JOB, uid, "r2")).isInstanceOf(StaleException.class);
    gateway.revive(JOB, uid, "r1");
    assertThat(stored().getStatus().getCompletionTime()).isNull();
  }
}
