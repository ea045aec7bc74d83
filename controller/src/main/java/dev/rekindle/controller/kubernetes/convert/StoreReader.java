package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.detect.checkpoint.s3.Endpoint;
import dev.rekindle.detect.checkpoint.s3.S3Url;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.kubeflow.v1.PyTorchJob;

/**
 * Which object store a job means: by its annotations, else by the variables of its container that
 * the AWS tools take. Variables whose value is elsewhere, in a ConfigMap say, are not read.
 */
final class StoreReader {
  private StoreReader() {}

  static CheckpointMount read(PyTorchJob job, PodTemplateSpec template, Container container) {
    Map<String, String> annotations =
        Objects.requireNonNullElse(job.getMetadata().getAnnotations(), Map.of());
    String endpoint =
        Optional.ofNullable(annotations.get(Annotations.CHECKPOINT_ENDPOINT))
            .orElseGet(() -> variable(container, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"));
    String given =
        Optional.ofNullable(annotations.get(Annotations.CHECKPOINT_REGION))
            .orElseGet(() -> variable(container, "AWS_REGION", "AWS_DEFAULT_REGION"));
    String region = given.isEmpty() ? Endpoint.DEFAULT_REGION : given;
    String secret = annotations.getOrDefault(Annotations.CHECKPOINT_SECRET, StoreSecret.DEFAULT);
    String problem =
        problem(annotations.getOrDefault(Annotations.CHECKPOINT, ""), endpoint, region, secret);
    return problem.isEmpty()
        ? new CheckpointMount.InStore(template, container, endpoint, region, secret)
        : new CheckpointMount.Hidden("The object store cannot be asked: " + problem + ".");
  }

  /** Annotations were checked when the job was read; variables were not. */
  private static String problem(String url, String endpoint, String region, String secret) {
    if (!Endpoint.isRegion(region)) {
      return "AWS_REGION is not the name of a region";
    }
    try {
      var _ = Endpoint.parse(endpoint, region, S3Url.parse(url).bucket());
      return StoreSecret.problemOf(secret).isEmpty() ? "" : "its Secret has another name";
    } catch (IllegalArgumentException refused) {
      return "its URL " + refused.getMessage();
    }
  }

  private static String variable(Container container, String... names) {
    List<EnvVar> env = Objects.requireNonNullElse(container.getEnv(), List.of());
    for (String name : names) {
      for (EnvVar variable : env) {
        if (name.equals(variable.getName())
            && variable.getValue() != null
            && !variable.getValue().isEmpty()
            && !variable.getValue().contains("$(")) {
          return variable.getValue();
        }
      }
    }
    return "";
  }
}
