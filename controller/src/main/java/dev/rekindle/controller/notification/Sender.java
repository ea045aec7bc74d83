package dev.rekindle.controller.notification;

/** Sends a notification to a webhook, once. */
@FunctionalInterface
public interface Sender {
  /** Sends it; takes a bounded time and throws nothing. */
  Answer send(Webhook webhook, Notification notification);
}
