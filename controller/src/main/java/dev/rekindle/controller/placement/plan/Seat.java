package dev.rekindle.controller.placement.plan;

/**
 * One pod of the gang, in the order of ranks.
 *
 * @param pod name of the pod
 * @param node the node that it is on, or was; empty when it has none
 * @param vacated whether it needs another node; a survivor stays
 */
public record Seat(String pod, String node, boolean vacated) {}
