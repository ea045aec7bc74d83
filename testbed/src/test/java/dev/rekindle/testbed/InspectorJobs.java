package dev.rekindle.testbed;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.util.function.Consumer;

/** Jobs like those in which the controller has checkpoints judged. */
final class InspectorJobs {
  private InspectorJobs() {}

  /** A Job as the controller starts it, changed. */
  static Job changed(Consumer<Job> change) {
    Job job =
        new JobBuilder()
            .withNewMetadata()
            .withNamespace(Testbed.NAMESPACE)
            .withName("any-r1-inspect")
            .addToLabels("app.kubernetes.io/name", "rekindle")
            .addToLabels("app.kubernetes.io/component", "inspector")
            .addNewOwnerReference()
            .withApiVersion(TrainingJob.API_VERSION)
            .withKind(TrainingJob.KIND)
            .withName("any")
            .withUid("any")
            .endOwnerReference()
            .endMetadata()
            .withNewSpec()
            .withNewTemplate()
            .withNewSpec()
            .withRestartPolicy("Never")
            .withAutomountServiceAccountToken(false)
            .addNewVolume()
            .withName("c")
            .withNewHostPath()
            .withPath("/tmp")
            .endHostPath()
            .endVolume()
            .addNewContainer()
            .withName("inspect")
            .withImage("localhost/rekindle:dev")
            .withArgs("inspect", "--dir", "/ckpt")
            .addNewVolumeMount()
            .withName("c")
            .withMountPath("/ckpt")
            .withReadOnly(true)
            .endVolumeMount()
            .withNewSecurityContext()
            .withAllowPrivilegeEscalation(false)
            .withReadOnlyRootFilesystem(true)
            .withNewCapabilities()
            .addToDrop("ALL")
            .endCapabilities()
            .endSecurityContext()
            .endContainer()
            .endSpec()
            .endTemplate()
            .endSpec()
            .build();
    change.accept(job);
    return job;
  }

  static PodSpec pod(Job job) {
    return job.getSpec().getTemplate().getSpec();
  }

  static Container container(Job job) {
    return pod(job).getContainers().getFirst();
  }
}
