package dev.rekindle.controller.notification;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.controller.notification.Webhook.Format;
import dev.rekindle.detect.ShortDuration;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the chart's values say of notifications. What makes no sense is left out with a reason:
 * nothing else of the controller stops for it.
 *
 * @param webhooks where notifications go
 * @param cluster how receivers distinguish clusters; empty where there is one
 * @param age what is older is no longer delivered
 * @param problems what was left out, and why
 */
public record NotificationSettings(
    List<Webhook> webhooks, String cluster, Duration age, List<String> problems) {
  /** Without any webhook. */
  public static final NotificationSettings NONE =
      new NotificationSettings(List.of(), "", Duration.ofHours(6), List.of());

  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?");
  private static final int LONGEST_CLUSTER = 63;

  public NotificationSettings {
    webhooks = List.copyOf(webhooks);
    problems = List.copyOf(problems);
  }

  /**
   * Reads them.
   *
   * @param json as the chart writes it: {@code cluster}, {@code maxAge} and {@code webhooks}; empty
   *     for none
   * @param secrets the folder in which each webhook has one of its name
   */
  public static NotificationSettings parse(String json, Path secrets) {
    if (json.isBlank()) {
      return NONE;
    }
    List<String> problems = new ArrayList<>();
    try {
      JsonNode root = new ObjectMapper().readTree(json);
      Duration age = age(root.path("maxAge").asText("6h"), problems);
      List<Webhook> webhooks = new ArrayList<>();
      Set<String> names = new HashSet<>();
      for (JsonNode node : root.path("webhooks")) {
        webhook(node, secrets, problems)
            .filter(w -> unused(names, w, problems))
            .ifPresent(webhooks::add);
      }
      String cluster = root.path("cluster").asText("");
      return new NotificationSettings(
          webhooks,
          cluster.length() > LONGEST_CLUSTER ? cluster.substring(0, LONGEST_CLUSTER) : cluster,
          age,
          problems);
    } catch (JsonProcessingException noJson) {
      // Its message quotes the text, which has URLs.
      return new NotificationSettings(
          List.of(), "", NONE.age, List.of("the value is no JSON; no notification is sent"));
    }
  }

  private static Duration age(String text, List<String> problems) {
    try {
      Duration age = ShortDuration.parse(text);
      if (age.compareTo(Duration.ofMinutes(1)) >= 0 && age.compareTo(Duration.ofDays(7)) <= 0) {
        return age;
      }
    } catch (IllegalArgumentException noDuration) {
      // Reported below, like one out of range.
    }
    problems.add("maxAge is no duration from 1m to 7d; 6h holds");
    return NONE.age;
  }

  private static boolean unused(Set<String> names, Webhook webhook, List<String> problems) {
    if (names.size() == RecordText.MOST_WEBHOOKS) {
      problems.add(
          "webhook %s is left out: there are more than %d"
              .formatted(webhook.name(), RecordText.MOST_WEBHOOKS));
      return false;
    }
    if (!names.add(webhook.name())) {
      problems.add("webhook " + webhook.name() + " is there twice; the first holds");
      return false;
    }
    return true;
  }

  private static Optional<Webhook> webhook(JsonNode node, Path secrets, List<String> problems) {
    String name = node.path("name").asText("");
    if (!NAME.matcher(name).matches()) {
      problems.add("a webhook has no name of at most 32 lower case letters, digits and '-'");
      return Optional.empty();
    }
    String url = node.path("url").asText("");
    if (!url.isEmpty() && !isHttp(url)) {
      problems.add("webhook " + name + " is left out: its url is none of http or https");
      return Optional.empty();
    }
    String word = node.path("format").asText(Format.CLOUDEVENTS.word());
    Optional<Format> format =
        Arrays.stream(Format.values()).filter(f -> f.word().equals(word)).findFirst();
    if (format.isEmpty()) {
      problems.add("webhook " + name + " is left out: format is neither cloudevents nor slack");
      return Optional.empty();
    }
    Set<NotificationType> types = EnumSet.noneOf(NotificationType.class);
    for (JsonNode event : node.path("events")) {
      NotificationType.ofWord(event.asText(""))
          .ifPresentOrElse(
              types::add, () -> problems.add("webhook " + name + ": an event has no known word"));
    }
    return Optional.of(
        new Webhook(
            name,
            url,
            secrets.resolve(name),
            format.get(),
            types.isEmpty() ? NotificationType.USUAL : types));
  }

  /** Whether it is an absolute URL of HTTP that names a host, and no user. */
  public static boolean isHttp(String url) {
    try {
      URI uri = URI.create(url);
      return ("https".equals(uri.getScheme()) || "http".equals(uri.getScheme()))
          && uri.getHost() != null
          && uri.getUserInfo() == null;
    } catch (IllegalArgumentException noUrl) {
      return false;
    }
  }
}
