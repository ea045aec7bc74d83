package dev.rekindle.page;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.TimelineEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The phases of one pass, to scale.
 *
 * @param number which pass, from 1: a recovery that tries again drains and plans again
 * @param segments phases in order
 */
record PhaseBar(int number, List<Segment> segments) {
  /** Units of the drawing from the begin of the recovery to its end. */
  static final double WIDTH = 1000;

  private static final Set<RecoveryPhase> TO_DO =
      EnumSet.of(RecoveryPhase.DETECTED, RecoveryPhase.FENCING, RecoveryPhase.DRAINING);

  private static final Set<RecoveryPhase> DONE =
      EnumSet.of(RecoveryPhase.PLANNING, RecoveryPhase.RESUMING, RecoveryPhase.VERIFYING);

  PhaseBar {
    segments = List.copyOf(segments);
  }

  /**
   * One phase.
   *
   * @param phase which
   * @param seconds how long
   * @param x where it begins in the drawing
   * @param width how wide it is there
   * @param open whether it continues
   */
  record Segment(RecoveryPhase phase, double seconds, double x, double width, boolean open) {
    String text() {
      return phase.word() + " " + Figures.time(seconds) + (open ? " so far" : "");
    }

    String xText() {
      return Figures.at(x);
    }

    String widthText() {
      return Figures.at(width);
    }

    String style() {
      return "phase-" + phase.word().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The bars of a timeline; a phase ends where the next one is entered, the last one now or, where
   * it is terminal, at once.
   *
   * @param entries by the order in which they were written; a time before its predecessor's counts
   *     as the predecessor's
   */
  static List<PhaseBar> of(List<TimelineEntry> entries, Instant now) {
    List<TimelineEntry> entered = entered(entries);
    if (entered.isEmpty()) {
      return List.of();
    }
    boolean open = !entered.getLast().phase().isTerminal();
    Instant begin = entered.getFirst().time();
    Instant end = open ? later(now, entered.getLast().time()) : entered.getLast().time();
    double all = Math.max(Figures.seconds(Duration.between(begin, end)), 0.001);
    List<PhaseBar> bars = new ArrayList<>();
    List<Segment> bar = new ArrayList<>();
    for (int i = 0; i < entered.size(); i++) {
      TimelineEntry entry = entered.get(i);
      if (entry.phase().isTerminal()) {
        break;
      }
      if (i > 0 && beginsAgain(entered.get(i - 1).phase(), entry.phase())) {
        bars.add(new PhaseBar(bars.size() + 1, bar));
        bar = new ArrayList<>();
      }
      boolean last = i == entered.size() - 1;
      Instant until = last ? end : entered.get(i + 1).time();
      double seconds = Figures.seconds(Duration.between(entry.time(), until));
      double x = Figures.seconds(Duration.between(begin, entry.time())) / all * WIDTH;
      bar.add(new Segment(entry.phase(), seconds, x, seconds / all * WIDTH, last && open));
    }
    if (!bar.isEmpty()) {
      bars.add(new PhaseBar(bars.size() + 1, bar));
    }
    return bars;
  }

  private static boolean beginsAgain(RecoveryPhase before, RecoveryPhase now) {
    return DONE.contains(before) && TO_DO.contains(now);
  }

  /** The entries with which a phase begins, in times that never go back. */
  private static List<TimelineEntry> entered(List<TimelineEntry> entries) {
    List<TimelineEntry> entered = new ArrayList<>();
    for (TimelineEntry entry : entries) {
      if (entered.isEmpty()) {
        entered.add(entry);
      } else if (entered.getLast().phase() != entry.phase()) {
        Instant at = later(entry.time(), entered.getLast().time());
        entered.add(new TimelineEntry(entry.phase(), at, entry.detail()));
      }
    }
    return entered;
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }
}
