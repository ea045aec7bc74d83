package dev.rekindle.simulator.world;

import dev.rekindle.api.LoggedSaves;
import dev.rekindle.simulator.setup.JobSetup;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A time in which the same processes train together, and how many steps follow from the time that
 * they were moving: all steps take the same time, and a checkpoint is written after every so many.
 */
final class TrainingPeriod {
  private final List<RankProcess> members;
  private final long startStep;

  /** Rank 0 sets the pace and writes the checkpoints. */
  private final JobSetup program;

  /** Microseconds in which steps were made, up to the last stop. */
  long trained;

  /** When it began to move, in microseconds; negative while it stands. */
  long movingSince = -1;

  /** The step of the checkpoint that it was to load, and what is wrong with it. */
  final long meant;

  final @Nullable Poison poison;

  /** Checkpoints that were written, or would have been. */
  long written;

  /** The newest that its log says it has saved, and how many it has said. */
  private long saves;

  private long savedStep;
  private @Nullable Instant saved;

  TrainingPeriod(List<RankProcess> members, long meant, @Nullable Poison poison) {
    this.members = members;
    this.meant = meant;
    this.poison = poison;
    this.startStep = poison == Poison.STARTS_OVER ? 0 : meant;
    this.program = members.getFirst().program;
  }

  /** It has saved a checkpoint. */
  void saved(long number, Instant whole) {
    saves = number;
    savedStep = checkpointStep(number);
    saved = whole;
  }

  /** What its log says of its saves; null before the first. */
  @Nullable LoggedSaves saves() {
    if (saves == 0) {
      return null;
    }
    Double apart = saves == 1 ? null : Double.valueOf(cycleMicros() / 1e6);
    double write = writeMicros() / 1e6;
    return new LoggedSaves(
        (int) saves,
        savedStep,
        saved,
        (int) saves - 1,
        apart,
        apart,
        saves == 1 ? null : Long.valueOf(program.checkpointEvery()),
        write,
        false,
        saves * write,
        null);
  }

  List<RankProcess> members() {
    return members;
  }

  /** The checkpoint that it was started from. */
  long startStep() {
    return startStep;
  }

  JobSetup program() {
    return program;
  }

  /** The generation of all its processes. */
  String generation() {
    return members.getFirst().generation;
  }

  boolean moving() {
    return movingSince >= 0;
  }

  /** Whether it has made its first step. */
  boolean hasTrained() {
    return trained > 0;
  }

  long stepMicros() {
    return Math.max(1, program.step().toNanos() / 1_000);
  }

  /** All steps between two checkpoints. */
  long stepsMicros() {
    return stepMicros() * program.checkpointEvery();
  }

  private long writeMicros() {
    return program.checkpointWrite().toNanos() / 1_000;
  }

  /** From the beginning of one checkpoint to that of the next. */
  long cycleMicros() {
    return stepsMicros() + writeMicros();
  }

  /** The step of a checkpoint, counted from one. */
  long checkpointStep(long number) {
    return startStep + number * program.checkpointEvery();
  }

  /** How long it has to move until it has made that step. */
  long microsFor(long target) {
    long steps = Math.max(0, target - startStep);
    long writes = steps / program.checkpointEvery();
    return steps * stepMicros() + writes * writeMicros();
  }

  /** Microseconds in which steps were made, at that time. */
  long trained(long now) {
    return trained + (moving() ? now - movingSince : 0);
  }

  /** The step that it is at once it has moved for so long. */
  long stepAfter(long micros) {
    long inCycle = micros % cycleMicros();
    long steps =
        micros / cycleMicros() * program.checkpointEvery()
            + Math.min(program.checkpointEvery(), inCycle / stepMicros());
    return Math.max(startStep + 1, startStep + steps);
  }
}
