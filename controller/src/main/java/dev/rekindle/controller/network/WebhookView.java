package dev.rekindle.controller.network;

/**
 * Spiderpool's webhook for pods, {@code pods.spiderpool.spidernet.io}; it is there only where the
 * chart's {@code podResourceInject.enabled} is true.
 *
 * @param configuration the MutatingWebhookConfiguration that has it
 * @param refusesPodsWhenDown whether no pod can be made while it does not answer ({@code
 *     failurePolicy: Fail})
 * @param service the Service behind it, {@code namespace/name}; empty where it is a URL
 */
public record WebhookView(String configuration, boolean refusesPodsWhenDown, String service) {}
