package dev.rekindle.detect.kernelfault;

import dev.rekindle.detect.kmsg.Boot;
import dev.rekindle.detect.rules.History;
import dev.rekindle.logging.LogKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The history of the judge, in memory and in a store. A new device or code is on the disk at once;
 * that it came again is written every few seconds, as in a storm each line says no more. Used by
 * one thread.
 */
public final class JudgeMemory {
  private static final Duration REWRITE = Duration.ofSeconds(5);
  private static final Logger LOG = LoggerFactory.getLogger(JudgeMemory.class);

  private final JudgeStore store;
  private final InstantSource clock;
  private History history;
  private long sequence = -1;
  private boolean dirty;
  private Instant written = Instant.EPOCH;

  /** What is kept in the store; nothing, where that cannot be read. */
  public JudgeMemory(JudgeStore store, Boot boot, InstantSource clock) {
    this.store = store;
    this.clock = clock;
    history = History.of(boot.id());
    try {
      var kept = store.read();
      if (kept.isPresent()) {
        sequence = kept.get().history().boot().equals(boot.id()) ? kept.get().sequence() : -1;
        history = kept.get().history().in(boot.id());
      }
    } catch (IOException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot read the rule state; follow-up errors may count as new");
    }
  }

  History history() {
    return history;
  }

  /** Whether this record was judged before: the log is replayed. */
  boolean hasJudged(long record) {
    return record <= sequence;
  }

  /** Remembers this after a record, and writes it down when it says something new. */
  void keep(long record, History next) {
    dirty |= !next.equals(history);
    var news = !shape(next).equals(shape(history));
    history = next;
    sequence = record;
    if (dirty && (news || !clock.instant().isBefore(written.plus(REWRITE)))) {
      save();
    }
  }

  /** Writes down what is not yet. */
  void save() {
    if (!dirty) {
      return;
    }
    written = clock.instant();
    try {
      store.write(sequence, history);
      dirty = false;
    } catch (IOException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot write the rule state; it would be lost in a restart");
    }
  }

  /** What is in it, without the times. */
  private static Map<String, Set<String>> shape(History history) {
    Map<String, Set<String>> shape = new HashMap<>();
    history.devices().forEach((device, names) -> shape.put(device, names.keySet()));
    return shape;
  }
}
