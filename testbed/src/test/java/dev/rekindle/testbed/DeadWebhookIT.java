package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A webhook that must judge every write to a PyTorchJob, and is not there. */
@Order(7)
@OnTestbed
class DeadWebhookIT {
  private static final String NAME = "rekindle-test-dead";

  /** So many that their failing calls are most of all calls. */
  private static final int JOBS = 6;

  @Test
  void shouldFenceAtOnceWhileEveryWriteToAJobFails(Scene scene) {
    List<TrainingJob> jobs = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      jobs.add(scene.job("webhook").light().sharingNodes().restartPolicy("Never").start());
    }
    jobs.forEach(job -> job.awaitStep(10));
    TrainingJob other = jobs.getFirst();
    Set<String> old = other.placement().keySet();
    String faulty = other.nodeOf("worker-0");
    install(scene);
    // Each of them has to be suspended now, and cannot be.
    jobs.stream().skip(1).forEach(job -> Host.kill(job.processes("worker-0")));
    Await.until(
        "calls that the webhook has failed",
        Duration.ofMinutes(3),
        () -> jobs.stream().skip(1).allMatch(job -> !job.recoveries().all().isEmpty()));
    // Long enough for several tries of each.
    Await.never("a job suspended", Duration.ofSeconds(5), other::suspended);

    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    Await.until(
        "fenced, though calls of another kind fail",
        Cluster.FENCED,
        () -> Cluster.fencedByUs(scene.cluster().node(faulty)));

    remove(scene.client());
    other.recoveries().awaitRecovered();
    other.awaitNewGenerationPast(other.log().reached(), old);
    assertThat(other.placement().values()).doesNotContain(faulty);
  }

  private static void install(Scene scene) {
    ValidatingWebhookConfiguration dead =
        new ValidatingWebhookConfigurationBuilder()
            .withNewMetadata()
            .withName(NAME)
            .endMetadata()
            .addNewWebhook()
            .withName("dead.rekindle.test")
            .withAdmissionReviewVersions("v1")
            .withSideEffects("None")
            .withFailurePolicy("Fail")
            .withTimeoutSeconds(1)
            .withNewClientConfig()
            .withUrl("https://127.0.0.1:1/")
            .endClientConfig()
            .addNewRule()
            .withApiGroups("kubeflow.org")
            .withApiVersions("v1")
            .withResources("pytorchjobs")
            .withOperations("UPDATE")
            .endRule()
            .endWebhook()
            .build();
    scene.client().resource(dead).create();
    scene.onCleanUp(() -> remove(scene.client()));
  }

  private static void remove(KubernetesClient client) {
    client.admissionRegistration().v1().validatingWebhookConfigurations().withName(NAME).delete();
  }
}
