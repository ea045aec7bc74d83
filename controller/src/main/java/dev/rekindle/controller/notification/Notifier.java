package dev.rekindle.controller.notification;

import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what is due to each webhook, and stores what was delivered. Reads the views that all
 * reconcilers read. No reconciler depends on it or waits for it.
 *
 * <p>A crash, or a write that fails, makes what was delivered in the last seconds due again, with
 * the same identity: at least once.
 */
public final class Notifier {
  private static final Logger LOG = LoggerFactory.getLogger(Notifier.class);

  /** Between two rounds. */
  private static final Duration POLL = Duration.ofSeconds(1);

  /** Between two writes of what was delivered, and before a write that failed is made again. */
  private static final Duration WRITE = Duration.ofSeconds(5);

  /** After so long without an answer from the API server it is sent without the record. */
  private static final Duration UNREAD = Duration.ofMinutes(1);

  private final NotificationSettings settings;
  private final ClusterState state;
  private final RecordStore store;
  private final InstantSource clock;
  private final InstantSource steady;
  private final NotificationMetrics metrics;
  private final Map<String, Outbox> outboxes = new LinkedHashMap<>();
  private final Map<String, Set<String>> owed = new HashMap<>();
  private final boolean ofNodes;
  private final Instant began;
  private RecordStore.@Nullable Stored stored;
  private DeliveryRecord record = DeliveryRecord.EMPTY;
  private Instant written;
  private boolean known;

  /**
   * @param clock the clock on the wall, by which timelines are written
   * @param steady a clock that never steps
   * @param backoff pauses after a webhook has failed
   */
  public Notifier(
      NotificationSettings settings,
      ClusterState state,
      RecordStore store,
      InstantSource clock,
      InstantSource steady,
      Backoff backoff,
      NotificationMetrics metrics) {
    this.settings = settings;
    this.state = state;
    this.store = store;
    this.clock = clock;
    this.steady = steady;
    this.metrics = metrics;
    this.began = steady.instant();
    this.written = began.minus(WRITE);
    for (Webhook webhook : settings.webhooks()) {
      outboxes.put(webhook.name(), new Outbox(steady, backoff));
    }
    ofNodes =
        settings.webhooks().stream()
            .anyMatch(w -> w.types().stream().anyMatch(NotificationType::ofNode));
  }

  /** Who sends, one for each webhook. */
  public List<DeliveryLoop> loops(Sender sender) {
    return settings.webhooks().stream()
        .map(w -> new DeliveryLoop(w, outbox(w), sender, metrics))
        .toList();
  }

  private Outbox outbox(Webhook webhook) {
    return Optional.ofNullable(outboxes.get(webhook.name())).orElseThrow();
  }

  /**
   * Finds once what is due, and stores what is to be stored.
   *
   * @return how long to wait before the next round
   */
  public synchronized Duration poll() {
    Instant now = clock.instant();
    try {
      keepRecord(now);
      offer(now);
      return POLL;
    } catch (CallException failed) {
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), failed.toString())
          .addKeyValue(LogKey.RETRY.key(), WRITE.toSeconds() + "s")
          .log("Record of delivered notifications not read or written");
      if (!steady.instant().isBefore(began.plus(UNREAD))) {
        // Rather twice than never: a receiver discards duplicates by their identity.
        known = true;
      }
      if (known) {
        offer(now);
      }
      return WRITE;
    }
  }

  private void keepRecord(Instant now) {
    if (stored == null) {
      stored = store.read();
      record = RecordText.parse(stored.data());
      known = true;
    }
    if (ofNodes) {
      List<FenceEpisode> fences =
          FenceEpisode.next(record.fences(), state.nodes(), now, settings.age());
      if (!fences.equals(record.fences())) {
        // Stored before it is sent, so that the next leader uses the same identity.
        write(record.withFences(fences), now);
      }
    }
    if (!steady.instant().isBefore(written.plus(WRITE))) {
      write(record, now);
    }
  }

  /** Writes what was delivered at once, as the process ends. */
  public synchronized void close() {
    try {
      if (stored != null) {
        write(record, clock.instant());
      }
    } catch (CallException failed) {
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), failed.toString())
          .log("Record of delivered notifications not written; some may come twice");
    }
  }

  private void write(DeliveryRecord base, Instant now) {
    Map<String, Set<String>> delivered = new HashMap<>();
    outboxes.forEach((name, outbox) -> delivered.put(name, outbox.delivered()));
    DeliveryRecord next = base.with(delivered, outboxes.keySet(), oldest(now));
    if (!next.equals(record)) {
      RecordStore.Stored before = Objects.requireNonNull(stored);
      // Read again where this fails: the write may have arrived all the same.
      stored = null;
      Optional<RecordStore.Stored> after = store.write(before, RecordText.format(next));
      if (after.isEmpty()) {
        return;
      }
      stored = after.get();
      record = next;
    }
    written = steady.instant();
    outboxes.forEach((name, outbox) -> outbox.stored(next.delivered(name)));
  }

  private Instant oldest(Instant now) {
    return now.minus(settings.age());
  }

  private void offer(Instant now) {
    List<Notification> all = all(oldest(now));
    for (Webhook webhook : settings.webhooks()) {
      Outbox outbox = outbox(webhook);
      Set<String> delivered = outbox.delivered();
      List<Notification> due =
          all.stream()
              .filter(n -> webhook.types().contains(n.type()))
              .filter(n -> !record.delivered(webhook.name()).contains(n.id()))
              .filter(n -> !delivered.contains(n.id()))
              .toList();
      outbox.offer(due);
      count(webhook.name(), due, outbox.delivered(), now);
    }
  }

  /** All that is young enough to be due, oldest first. */
  private List<Notification> all(Instant after) {
    List<Notification> all = new ArrayList<>();
    state.recoveries().forEach(r -> all.addAll(RecoveryNotifications.of(r, after)));
    record.fences().forEach(fence -> all.addAll(fence.notifications(after)));
    all.sort(Comparator.comparing(Notification::time).thenComparing(Notification::id));
    return all;
  }

  private void count(String webhook, List<Notification> due, Set<String> delivered, Instant now) {
    Set<String> next = due.stream().map(Notification::id).collect(Collectors.toSet());
    for (String id : owed.getOrDefault(webhook, Set.of())) {
      boolean settled =
          next.contains(id) || delivered.contains(id) || record.delivered(webhook).contains(id);
      if (!settled) {
        boolean old = Mark.timeOf(id).map(t -> !t.isAfter(oldest(now))).orElse(false);
        metrics.dropped(webhook, old ? NotificationMetrics.EXPIRED : NotificationMetrics.GONE);
      }
    }
    owed.put(webhook, next);
    metrics.owed(
        webhook,
        next.size(),
        due.isEmpty() ? Duration.ZERO : Duration.between(due.getFirst().time(), now));
  }
}
