package dev.rekindle.api;

/**
 * Which pod is meant. Pods of a job keep their names over a restart, so the UID is what identifies
 * one.
 *
 * @param pod name of the pod
 * @param podUid UID of the pod
 * @param node node it runs on
 * @param job name of the PyTorchJob
 */
public record RankReportSpec(String pod, String podUid, String node, String job) {}
