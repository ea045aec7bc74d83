package dev.rekindle.testbed;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs programs of the host. */
final class Command {
  private Command() {}

  /**
   * Runs a program and gives what it wrote to stdout.
   *
   * @throws AssertionError with all that it wrote, when its exit code is not 0
   */
  static String run(Duration limit, String... program) {
    StringBuilder said = new StringBuilder();
    StringBuilder errors = new StringBuilder();
    int code = run(limit, List.of(program), said, line -> errors.append(line).append('\n'));
    if (code != 0) {
      throw new AssertionError(
          "%s: exit code %d%n%s%s".formatted(String.join(" ", program), code, said, errors));
    }
    return said.toString();
  }

  /**
   * Runs a program.
   *
   * @param limit after which it is killed
   * @param said takes its stdout
   * @param progress takes each line of its stderr as it comes
   * @return its exit code
   */
  static int run(
      Duration limit, List<String> program, StringBuilder said, Consumer<String> progress) {
    try {
      Process process = new ProcessBuilder(program).directory(Testbed.ROOT.toFile()).start();
      process.getOutputStream().close();
      CompletableFuture<?> out =
          CompletableFuture.runAsync(
              () ->
                  read(
                      process.inputReader(StandardCharsets.UTF_8),
                      l -> said.append(l).append('\n')));
      CompletableFuture.delayedExecutor(limit.toMillis(), TimeUnit.MILLISECONDS)
          .execute(process::destroyForcibly);
      read(
          new BufferedReader(
              new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8)),
          progress);
      out.join();
      return process.waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static void read(BufferedReader from, Consumer<String> to) {
    from.lines().forEach(to);
  }
}
