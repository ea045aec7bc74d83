package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/**
 * A training job, in the namespace of the object that refers to it.
 *
 * @param apiVersion its API group and version
 * @param kind its kind
 * @param name its name
 * @param uid its UID: a job deleted and created again under the name is another job
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobRef(
    @Required @Size(min = 1, max = Bounds.WORD) String apiVersion,
    @Required @Size(min = 1, max = Bounds.WORD) String kind,
    @Required @Size(min = 1, max = Bounds.NAME) String name,
    @Required @Size(min = 1, max = Bounds.WORD) String uid) {
  public JobRef {
    apiVersion = Bounds.word(apiVersion);
    kind = Bounds.word(kind);
    name = Bounds.name(name);
    uid = Bounds.word(uid);
  }

  /** A PyTorchJob of the training operator. */
  public static JobRef pyTorchJob(String name, String uid) {
    return new JobRef("kubeflow.org/v1", "PyTorchJob", name, uid);
  }
}
