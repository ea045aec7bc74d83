package dev.rekindle.simulator.process;

import java.util.random.RandomGenerator;

/** Chance that a test decides. */
final class Chance implements RandomGenerator {
  double share;
  int number;
  boolean heads;

  @Override
  public long nextLong() {
    throw new UnsupportedOperationException();
  }

  @Override
  public double nextDouble() {
    return share;
  }

  @Override
  public int nextInt(int bound) {
    return Math.min(number, bound - 1);
  }

  @Override
  public boolean nextBoolean() {
    return heads;
  }
}
