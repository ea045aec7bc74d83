package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/**
 * Which pod is meant. Pods of a job keep their names over a restart, so the UID is what identifies
 * one.
 *
 * @param pod name of the pod
 * @param podUid UID of the pod
 * @param node node it runs on
 * @param job name of the PyTorchJob
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
    value = "self == oldSelf",
    message = "a report is about one pod and cannot move to another")
public record RankReportSpec(
    @Required @Size(min = 1, max = Bounds.NAME) String pod,
    @Required @Size(min = 1, max = Bounds.WORD) String podUid,
    @Required @Size(min = 1, max = Bounds.NAME) String node,
    @Required @Size(min = 1, max = Bounds.NAME) String job) {
  public RankReportSpec {
    pod = Bounds.name(pod);
    podUid = Bounds.word(podUid);
    node = Bounds.name(node);
    job = Bounds.name(job);
  }
}
