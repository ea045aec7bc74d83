package dev.rekindle.detect.policy;

import static java.util.Objects.requireNonNullElse;

import dev.rekindle.api.MaintenancePolicy;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * When a gang that still trains may be stopped. Pure: nothing is remembered, so a clock that was
 * wrong and is set right does no lasting harm.
 *
 * @param windows when it may be; at any time where there are none
 * @param stoppedWait whether a job that has stopped waits for a window as well
 */
public record MaintenanceWindows(List<Window> windows, boolean stoppedWait) {
  /** Those of a policy that has none. */
  public static final MaintenanceWindows ALWAYS = new MaintenanceWindows(List.of(), false);

  /** A window opens at least once in so many days, and none is open for longer than one. */
  private static final int WEEK = 7;

  public MaintenanceWindows {
    windows = List.copyOf(windows);
  }

  /**
   * One that opens on some days of the week.
   *
   * @param days on which it opens, by its zone
   * @param start when, by its zone
   * @param length how long it is open, whatever clocks are set to meanwhile; a day at most
   */
  public record Window(ZoneId zone, Set<DayOfWeek> days, LocalTime start, Duration length) {
    public Window {
      days = Set.copyOf(days);
    }

    /** Its openings from the day before that time, for so many days; in order. */
    private Stream<Opening> around(Instant time, int ahead) {
      LocalDate today = time.atZone(zone).toLocalDate();
      return LongStream.rangeClosed(-2, ahead)
          .mapToObj(today::plusDays)
          .filter(day -> days.contains(day.getDayOfWeek()))
          .map(day -> opening(day.atTime(start)));
    }

    /** Where clocks are set forward over the start it opens when that is done; back, the first. */
    private Opening opening(LocalDateTime local) {
      ZoneOffsetTransition change = zone.getRules().getTransition(local);
      Instant opens =
          change != null && change.isGap() ? change.getInstant() : local.atZone(zone).toInstant();
      return new Opening(opens, opens.plus(length));
    }
  }

  /**
   * A time in which one window is open.
   *
   * @param from its first moment
   * @param to the first moment after it
   */
  private record Opening(Instant from, Instant to) {
    boolean has(Instant time) {
      return !time.isBefore(from) && time.isBefore(to);
    }
  }

  /** Those of a policy without problems; see {@link #problems}. */
  public static MaintenanceWindows of(@Nullable MaintenancePolicy policy) {
    if (policy == null) {
      return ALWAYS;
    }
    ZoneId zone = ZoneId.of(requireNonNullElse(policy.timeZone(), MaintenancePolicy.ZONE));
    return new MaintenanceWindows(
        requireNonNullElse(policy.windows(), List.<MaintenancePolicy.Window>of()).stream()
            .map(
                w ->
                    new Window(
                        zone,
                        days(requireNonNullElse(w.days(), List.of())),
                        LocalTime.parse(w.start()),
                        Duration.ofMinutes(w.durationMinutes())))
            .toList(),
        MaintenancePolicy.WAIT.equals(policy.stoppedJobs()));
  }

  /** Why it cannot be used: a sentence for each problem, naming the field. */
  public static List<String> problems(MaintenancePolicy policy) {
    List<String> found = new ArrayList<>();
    String zone = requireNonNullElse(policy.timeZone(), MaintenancePolicy.ZONE);
    if (!isZone(zone)) {
      found.add("maintenance.timeZone is no zone of the IANA database, such as Europe/Berlin");
    }
    List<MaintenancePolicy.Window> windows = requireNonNullElse(policy.windows(), List.of());
    if (windows.size() > MaintenancePolicy.WINDOWS) {
      found.add(
          "maintenance.windows has more than %d entries".formatted(MaintenancePolicy.WINDOWS));
    }
    for (int i = 0; i < windows.size() && i < MaintenancePolicy.WINDOWS; i++) {
      String field = "maintenance.windows[%d]".formatted(i);
      MaintenancePolicy.Window window = windows.get(i);
      if (!isTime(window.start())) {
        found.add(field + ".start is no time such as 22:30");
      }
      if (window.durationMinutes() < 1 || window.durationMinutes() > 1440) {
        found.add(field + ".durationMinutes is not from 1 to 1440");
      }
      List<String> days = requireNonNullElse(window.days(), List.of());
      if (days.stream().anyMatch(d -> day(d).isEmpty())) {
        found.add(field + ".days are none of Mon, Tue, Wed, Thu, Fri, Sat, Sun");
      }
    }
    return found;
  }

  private static boolean isZone(String name) {
    return ZoneId.getAvailableZoneIds().contains(name);
  }

  private static boolean isTime(String text) {
    try {
      return text.length() == 5 && LocalTime.parse(text).getSecond() == 0;
    } catch (DateTimeException e) {
      return false;
    }
  }

  private static Set<DayOfWeek> days(List<String> words) {
    return words.isEmpty()
        ? Set.of(DayOfWeek.values())
        : words.stream().flatMap(d -> day(d).stream()).collect(Collectors.toUnmodifiableSet());
  }

  private static Optional<DayOfWeek> day(String word) {
    return Arrays.stream(DayOfWeek.values())
        .filter(d -> word.length() == 3 && d.name().startsWith(word.toUpperCase(Locale.ROOT)))
        .findFirst();
  }

  /** Whether a window is open at that time, or there are none. */
  public boolean isOpen(Instant time) {
    return windows.isEmpty()
        || windows.stream().flatMap(w -> w.around(time, 0)).anyMatch(o -> o.has(time));
  }

  /** When the next one opens after that time; empty where there are none. */
  public Optional<Instant> opensAfter(Instant time) {
    return windows.stream()
        .flatMap(w -> w.around(time, WEEK + 1))
        .map(Opening::from)
        .filter(from -> from.isAfter(time))
        .min(Comparator.naturalOrder());
  }

  /**
   * When the one ends that is open at that time, or the first that opens after it; empty where
   * there are none.
   */
  public Optional<Instant> endsAfter(Instant time) {
    return windows.stream()
        .flatMap(w -> w.around(time, WEEK + 1))
        .filter(opening -> opening.to().isAfter(time))
        .min(Comparator.comparing(Opening::from).thenComparing(Opening::to))
        .map(Opening::to);
  }
}
