package dev.rekindle.controller.notification;

import java.nio.file.Path;
import java.util.Set;

/**
 * Where notifications go. Written by who installs Rekindle, never by a tenant.
 *
 * @param name its name in metrics, logs and what is stored
 * @param url where to post to; empty where the secret has it, as with Slack, whose URL is one
 * @param secret folder with the files of its Secret: {@code secret}, the keys of the signature, and
 *     {@code url}; read again for each notification
 * @param format how a notification is written
 * @param types what it gets
 */
public record Webhook(
    String name, String url, Path secret, Format format, Set<NotificationType> types) {
  /** How a notification is written. */
  public enum Format {
    /** A CloudEvent as JSON, signed. */
    CLOUDEVENTS("cloudevents"),
    /** A line of text for people, as Slack takes it. */
    SLACK("slack");

    private final String word;

    Format(String word) {
      this.word = word;
    }

    /** The word in the chart's values. */
    public String word() {
      return word;
    }
  }

  public Webhook {
    types = Set.copyOf(types);
  }
}
