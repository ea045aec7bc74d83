package dev.rekindle.controller.journal;

import dev.rekindle.controller.cluster.JobKey;

/**
 * Something worth a Kubernetes Event on a job.
 *
 * @param job the job it regards
 * @param jobUid its UID
 * @param reason why
 * @param note one or two sentences, at most 1 kB
 * @param relatedNode the node it also concerns, empty when none
 */
public record Announcement(
    JobKey job, String jobUid, Reason reason, String note, String relatedNode) {}
