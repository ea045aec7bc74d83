package dev.rekindle;

import java.util.concurrent.CountDownLatch;

/** The role of a warm spare: holds its place until it is ended. */
final class WaitMain {
  private WaitMain() {}

  /** Waits for a signal. */
  static void main(String[] args) throws InterruptedException {
    new CountDownLatch(1).await();
  }
}
