package dev.rekindle.detect.progress;

/** What one line says of how far something has come. */
sealed interface Reading {
  /** Lines that count the same thing have the same name. */
  String series();

  /** The number that the line names. */
  long count();

  /**
   * A step of the training.
   *
   * @param format how it was printed
   * @param series lines of the same series count the same thing
   * @param epoch the epoch in which the count starts over; -1 where the line names none
   * @param count the step, in that epoch where there is one
   * @param total how far the count goes; -1 where the line does not say
   * @param seconds for how long the bar has run, by its own clock; -1 where the line does not say
   */
  record Step(StepFormat format, String series, long epoch, long count, long total, long seconds)
      implements Reading {
    /** A count in an epoch is combined with its number below this, so that it fits. */
    private static final long MOST = 1_000_000_000L;

    /** The step over all epochs, as far as the line by itself says. */
    long number() {
      return epoch > 0 && total > 0 && total < MOST ? epoch * total + count : count;
    }
  }

  /**
   * Something else that moves: an evaluation, a bar for loading weights. A program that prints this
   * does not hang.
   */
  record Other(String series, long count) implements Reading {}
}
