package dev.rekindle.console;

import dev.rekindle.logging.UncaughtExceptions;
import io.micronaut.runtime.Micronaut;

/** The console's process. */
public final class ConsoleMain {
  private ConsoleMain() {}

  /**
   * Runs until the process is asked to end.
   *
   * @param args none
   */
  public static void main(String[] args) {
    UncaughtExceptions.log();
    Micronaut.build(args).mainClass(ConsoleMain.class).banner(false).start();
  }
}
