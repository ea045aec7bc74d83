package dev.rekindle.detect.judge;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;

/** The time that a line of a log carries. */
sealed interface Stamp {
  /** A moment. */
  record Moment(Instant time) implements Stamp {}

  /** A moment without its year, in the form of year 2000, which has every day there is. */
  record Yearless(LocalDateTime time) implements Stamp {}

  /** Time since the boot. */
  record SinceBoot(Duration time) implements Stamp {}

  /** Time since the line before. */
  record Later(Duration by) implements Stamp {}

  /** None. */
  record None() implements Stamp {}
}
