package dev.rekindle.controller.notification;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The text in which it is stored what was delivered. Of bounded size: eight webhooks and the fences
 * stay below 1 MiB, which is what a ConfigMap may have. Beyond that the oldest are left out, and
 * may be delivered twice after a change of leader.
 */
final class RecordText {
  static final int MOST_WEBHOOKS = 8;
  static final int BYTES_OF_WEBHOOK = 80 * 1024;
  private static final String WEBHOOK = "webhook.";
  private static final String FENCES = "fences";
  private static final String OPEN = "-";
  private static final int FENCE_FIELDS = 5;

  private RecordText() {}

  static Map<String, String> format(DeliveryRecord record) {
    Map<String, String> data = new TreeMap<>();
    record.delivered().forEach((name, ids) -> data.put(WEBHOOK + name, format(ids)));
    if (!record.fences().isEmpty()) {
      StringBuilder fences = new StringBuilder();
      record.fences().forEach(fence -> fences.append(format(fence)).append('\n'));
      data.put(FENCES, fences.toString());
    }
    return data;
  }

  /** One line for each object: its UID and the marks of what was delivered of it. */
  private static String format(Set<String> ids) {
    Comparator<String> time =
        Comparator.comparing(
            id -> Mark.timeOf(id).orElse(Instant.EPOCH), Comparator.reverseOrder());
    Map<String, Set<String>> marks = new TreeMap<>();
    int left = BYTES_OF_WEBHOOK;
    for (String id : ids.stream().sorted(time.thenComparing(id -> id)).toList()) {
      int at = id.lastIndexOf('_');
      String uid = id.substring(0, Math.max(at, 0));
      left -= id.length() - uid.length() + (marks.containsKey(uid) ? 0 : uid.length() + 1);
      if (left < 0) {
        break;
      }
      marks.computeIfAbsent(uid, _ -> new TreeSet<>()).add(id.substring(at + 1));
    }
    StringBuilder text = new StringBuilder();
    marks.forEach(
        (uid, of) -> text.append(uid).append(' ').append(String.join(" ", of)).append('\n'));
    return text.toString();
  }

  private static String format(FenceEpisode f) {
    return "%s %s %s %s %s"
        .formatted(
            f.nodeUid(),
            f.since(),
            f.until() == null ? OPEN : f.until(),
            f.node(),
            f.by().replace('\n', ' '));
  }

  /** Reads it. People may have edited it: what makes no sense is passed over. */
  static DeliveryRecord parse(Map<String, String> data) {
    Map<String, Set<String>> delivered = new HashMap<>();
    data.forEach(
        (key, text) -> {
          if (key.startsWith(WEBHOOK)) {
            delivered.put(key.substring(WEBHOOK.length()), ids(text));
          }
        });
    List<FenceEpisode> fences = new ArrayList<>();
    data.getOrDefault(FENCES, "").lines().forEach(line -> fence(line).ifPresent(fences::add));
    return new DeliveryRecord(delivered, fences.stream().limit(FenceEpisode.MOST).toList());
  }

  private static Set<String> ids(String text) {
    Set<String> ids = new TreeSet<>();
    for (String line : text.lines().toList()) {
      String[] words = line.split(" ", -1);
      for (int i = 1; i < words.length; i++) {
        ids.add(Mark.id(words[0], words[i]));
      }
    }
    return ids;
  }

  private static Optional<FenceEpisode> fence(String line) {
    String[] words = line.split(" ", FENCE_FIELDS);
    if (words.length < FENCE_FIELDS) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new FenceEpisode(
              words[3],
              words[0],
              words[4],
              Instant.parse(words[1]),
              words[2].equals(OPEN) ? null : Instant.parse(words[2])));
    } catch (DateTimeException noTime) {
      return Optional.empty();
    }
  }
}
