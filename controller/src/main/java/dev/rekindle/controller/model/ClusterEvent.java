package dev.rekindle.controller.model;

import org.jspecify.annotations.Nullable;

/**
 * Something worth a Kubernetes Event.
 *
 * @param job the job it regards; absent when it regards the node itself
 * @param jobUid its UID
 * @param reason why
 * @param note one or two sentences, at most 1 kB
 * @param node the node it concerns, empty when none
 */
public record ClusterEvent(
    @Nullable JobKey job, String jobUid, Reason reason, String note, String node) {

  /** Something about a node: {@code kubectl describe node} shows it. */
  public static ClusterEvent onNode(String node, Reason reason, String note) {
    return new ClusterEvent(null, "", reason, note, node);
  }
}
