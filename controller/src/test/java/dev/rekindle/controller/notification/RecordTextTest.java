package dev.rekindle.controller.notification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RecordTextTest {
  private static final int MEBIBYTE = 1 << 20;

  @Test
  void shouldReadWhatItWrote() {
    SplittableRandom random = new SplittableRandom(7);
    for (int run = 0; run < 300; run++) {
      DeliveryRecord record = record(random, random.nextInt(4), random.nextInt(20));

      assertThat(RecordText.parse(RecordText.format(record))).isEqualTo(record);
    }
  }

  private static DeliveryRecord record(SplittableRandom random, int webhooks, int objects) {
    Map<String, Set<String>> delivered = new TreeMap<>();
    List<FenceEpisode> fences = new ArrayList<>();
    for (int i = 0; i < webhooks; i++) {
      Set<String> ids = new TreeSet<>();
      for (int j = 0; j < objects; j++) {
        String uid = uid(random);
        for (NotificationType type : NotificationType.values()) {
          ids.add(Mark.id(uid, Mark.of(type, time(random))));
        }
      }
      if (!ids.isEmpty()) {
        delivered.put("webhook-" + i, ids);
      }
    }
    for (int j = 0; j < objects; j++) {
      Instant until = random.nextBoolean() ? null : time(random);
      fences.add(new FenceEpisode("node-" + j, uid(random), "team/r 1", time(random), until));
    }
    return new DeliveryRecord(delivered, fences);
  }

  private static String uid(SplittableRandom random) {
    return new UUID(random.nextLong(), random.nextLong()).toString();
  }

  private static Instant time(SplittableRandom random) {
    return Given.T0.plusNanos(random.nextLong(Duration.ofDays(1).toNanos()) / 1_000 * 1_000);
  }

  @Test
  void shouldStayBelowTheLimitOfAConfigMapAndKeepTheNewest() {
    SplittableRandom random = new SplittableRandom(8);
    DeliveryRecord record = record(random, RecordText.MOST_WEBHOOKS, 1_000);

    Map<String, String> data = RecordText.format(record);

    int bytes =
        data.values().stream().mapToInt(t -> t.getBytes(StandardCharsets.UTF_8).length).sum();
    assertThat(bytes).isBetween(MEBIBYTE / 2, MEBIBYTE * 9 / 10);
    Instant oldestKept = oldest(RecordText.parse(data).delivered("webhook-0"));
    assertThat(record.delivered("webhook-0"))
        .filteredOn(id -> time(id).isAfter(oldestKept))
        .isSubsetOf(RecordText.parse(data).delivered("webhook-0"));
  }

  private static Instant oldest(Set<String> ids) {
    return ids.stream().map(RecordTextTest::time).min(Instant::compareTo).orElseThrow();
  }

  private static Instant time(String id) {
    return Mark.timeOf(id).orElseThrow();
  }

  @Test
  void shouldPassOverWhatMakesNoSense() {
    DeliveryRecord read =
        RecordText.parse(
            Map.of(
                "webhook.a", "\n \nuid\nuid k1z\n",
                "fences", "x\nu never - n by\nu 2026-01-01T00:00:00Z - n by\n",
                "else", "anything"));

    assertThat(read.delivered("a")).contains("uid_k1z");
    assertThat(read.fences()).hasSize(1);
  }

  @Test
  void shouldForgetWhatIsTooOldToBeDueAgainAndWebhooksThatAreNoMore() {
    Instant old = Given.T0.minus(Duration.ofHours(2));
    String first = Mark.id("u", Mark.of(NotificationType.OPENED, old));
    String second = Mark.id("u", Mark.of(NotificationType.HELD, Given.T0));
    DeliveryRecord record =
        new DeliveryRecord(
            Map.of("a", Set.of(first, second, "junk"), "b", Set.of(second)), List.of());

    DeliveryRecord next = record.with(Map.of(), Set.of("a"), Given.T0);

    assertThat(next.delivered()).containsExactly(Map.entry("a", Set.of(second)));
  }
}
