package dev.rekindle.controller.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Policies;
import dev.rekindle.detect.policy.MaintenanceWindows;
import dev.rekindle.detect.policy.MaintenanceWindows.Window;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MaintenanceWindowsTest {
  /** Zones that set clocks by an hour, by half of one, at midnight, or that lost a whole day. */
  private static final List<String> ZONES =
      List.of(
          "UTC",
          "Europe/Berlin",
          "America/New_York",
          "Australia/Lord_Howe",
          "America/Sao_Paulo",
          "Asia/Beirut",
          "Pacific/Apia",
          "Africa/Casablanca",
          "Asia/Kathmandu");

  private static final int CASES = 3_000;

  private static MaintenanceWindows windows(String yaml) {
    return Policies.ofYaml("{maintenance: " + yaml + "}").maintenance();
  }

  @ParameterizedTest
  @CsvSource({
    "2026-11-24T20:59:59Z, false, 2026-11-24T21:00:00Z",
    "2026-11-24T21:00:00Z, true, 2026-11-25T21:00:00Z",
    "2026-11-25T04:59:59Z, true, 2026-11-25T21:00:00Z",
    "2026-11-25T05:00:00Z, false, 2026-11-25T21:00:00Z",
    // Friday's continues into Saturday; none opens at the weekend.
    "2026-11-28T01:00:00Z, true, 2026-11-30T21:00:00Z",
    "2026-11-29T22:00:00Z, false, 2026-11-30T21:00:00Z",
    // In summer the same clock is two hours ahead of UTC.
    "2026-07-01T19:59:59Z, false, 2026-07-01T20:00:00Z",
    "2026-07-01T20:00:00Z, true, 2026-07-02T20:00:00Z"
  })
  void shouldFollowTheClockOfItsZone(Instant now, boolean open, Instant next) {
    MaintenanceWindows nights =
        windows(
            "{timeZone: Europe/Berlin, windows: [{days: [Mon, Tue, Wed, Thu, Fri], start: '22:00',"
                + " durationMinutes: 480}]}");

    assertThat(nights.isOpen(now)).isEqualTo(open);
    assertThat(nights.opensAfter(now)).contains(next);
  }

  @ParameterizedTest
  @CsvSource({
    // 02:30 does not come on that night: it opens as soon as the clocks are set forward.
    "2026-03-28T12:00:00Z, 2026-03-29T01:00:00Z, 2026-03-29T02:30:00Z",
    // 02:30 comes twice on that night: the first one counts, and it stays open for 90 minutes.
    "2026-10-24T12:00:00Z, 2026-10-25T00:30:00Z, 2026-10-25T02:00:00Z",
    "2026-10-25T12:00:00Z, 2026-10-26T01:30:00Z, 2026-10-26T03:00:00Z"
  })
  void shouldOpenOnceWhereClocksAreSet(Instant now, Instant from, Instant to) {
    MaintenanceWindows daily =
        windows("{timeZone: Europe/Berlin, windows: [{start: '02:30', durationMinutes: 90}]}");

    assertThat(daily.opensAfter(now)).contains(from);
    assertThat(daily.isOpen(from)).isTrue();
    assertThat(daily.isOpen(to.minusMillis(1))).isTrue();
    assertThat(daily.isOpen(to)).isFalse();
    assertThat(daily.endsAfter(now)).contains(to);
    assertThat(daily.endsAfter(from)).contains(to);
  }

  @Test
  void shouldBeOpenAlwaysWhereThereAreNone() {
    assertThat(windows("{}").isOpen(Instant.EPOCH)).isTrue();
    assertThat(windows("{}").opensAfter(Instant.EPOCH)).isEmpty();
    assertThat(windows("{}").endsAfter(Instant.EPOCH)).isEmpty();
  }

  /** What is true whatever the zone, the windows and the clock are. */
  @Test
  void shouldOpenAtTheNextOpeningAndNotBefore() {
    SplittableRandom random = new SplittableRandom(20261125);
    for (int i = 0; i < CASES; i++) {
      MaintenanceWindows windows = random(random);
      Instant now = nearAChange(random, windows.windows().getFirst().zone());
      Instant next = windows.opensAfter(now).orElseThrow();

      assertThat(next).as("%s at %s", windows, now).isAfter(now);
      assertThat(windows.isOpen(next)).as("%s at %s", windows, next).isTrue();
      assertThat(windows.opensAfter(next.minusMillis(1)))
          .as("a clock a little behind meets the same opening: %s", windows)
          .contains(next);
      assertThat(Duration.between(now, next)).isLessThan(Duration.ofDays(9));
      opensAsItsClockSays(windows, next);
      if (!windows.isOpen(now)) {
        Instant between = now.plusMillis(random.nextLong(Duration.between(now, next).toMillis()));
        assertThat(windows.isOpen(between)).as("%s between %s", windows, between).isFalse();
        assertThat(windows.opensAfter(between)).contains(next);
      }
      Instant end = windows.endsAfter(now).orElseThrow();
      assertThat(end).isAfter(now);
      assertThat(windows.isOpen(end.minusMillis(1))).as("%s ends %s", windows, end).isTrue();
    }
  }

  /** Its zone's clock shows the start, or was set forward over it. */
  private static void opensAsItsClockSays(MaintenanceWindows windows, Instant at) {
    assertThat(windows.windows())
        .as("one of them opens at %s", at)
        .anyMatch(
            w -> {
              LocalDateTime local = LocalDateTime.ofInstant(at, w.zone());
              ZoneOffsetTransition set = w.zone().getRules().getTransition(local.minusNanos(1));
              return local.toLocalTime().equals(w.start())
                  || (set != null && set.isGap() && set.getInstant().equals(at));
            });
  }

  /** However clocks are set meanwhile, each opening is as long as it says. */
  @Test
  void shouldBeOpenForAsLongAsItSays() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < CASES; i++) {
      Window one = random(random).windows().getFirst();
      Window whole =
          new Window(one.zone(), EnumSet.allOf(DayOfWeek.class), one.start(), one.length());
      MaintenanceWindows daily = new MaintenanceWindows(List.of(whole), false);
      Instant from = daily.opensAfter(nearAChange(random, one.zone())).orElseThrow();
      Instant again = daily.opensAfter(from).orElseThrow();
      Instant end = from.plus(one.length());

      assertThat(daily.isOpen(end.minusMillis(1))).as("%s from %s", whole, from).isTrue();
      assertThat(daily.isOpen(end)).as("%s from %s", whole, from).isEqualTo(!again.isAfter(end));
    }
  }

  private static MaintenanceWindows random(SplittableRandom random) {
    List<Window> windows = new ArrayList<>();
    ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      Set<DayOfWeek> days = EnumSet.noneOf(DayOfWeek.class);
      days.add(DayOfWeek.of(1 + random.nextInt(7)));
      days.add(DayOfWeek.of(1 + random.nextInt(7)));
      windows.add(
          new Window(
              zone,
              days,
              LocalTime.ofSecondOfDay(random.nextInt(1_440) * 60L),
              Duration.ofMinutes(1 + random.nextInt(1_440))));
    }
    return new MaintenanceWindows(windows, false);
  }

  /** Within some days of a moment at which clocks are set, where the zone has any. */
  private static Instant nearAChange(SplittableRandom random, ZoneId zone) {
    Instant some = Instant.ofEpochSecond(random.nextLong(4_000_000_000L));
    return Optional.ofNullable(zone.getRules().nextTransition(some))
        .map(ZoneOffsetTransition::getInstant)
        .orElse(some)
        .plusSeconds(random.nextLong(-300_000, 300_000));
  }
}
