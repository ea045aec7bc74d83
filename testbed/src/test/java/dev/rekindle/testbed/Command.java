package dev.rekindle.testbed;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs programs of the host. */
final class Command {
  /** How long its last words may take, once it has ended. */
  private static final Duration GOODBYE = Duration.ofSeconds(10);

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
   * @param limit after which it is killed with all that it started
   * @param said takes its stdout
   * @param progress takes each line of its stderr as it comes
   * @return its exit code
   * @throws AssertionError when it took longer than the limit
   */
  static int run(
      Duration limit, List<String> program, StringBuilder said, Consumer<String> progress) {
    try {
      Process process = new ProcessBuilder(program).directory(Testbed.ROOT.toFile()).start();
      process.getOutputStream().close();
      // Threads of our own: on two cores the common pool has one, and the callbacks of the HTTP
      // client may hold it while they wait for something that this program has to do.
      Thread out = reader(process.getInputStream(), l -> said.append(l).append('\n'));
      Thread errors = reader(process.getErrorStream(), progress);
      boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (!ended) {
        // A child that lives on would hold the pipes open.
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
      boolean readOut = out.join(GOODBYE);
      boolean read = errors.join(GOODBYE) && readOut;
      if (!ended || !read) {
        throw new AssertionError(
            "%s: %s after %d s"
                .formatted(
                    String.join(" ", program),
                    ended ? "ended, its output did not," : "killed",
                    limit.toSeconds()));
      }
      return process.exitValue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static Thread reader(InputStream from, Consumer<String> to) {
    return Thread.ofVirtual()
        .start(
            () -> {
              try {
                new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))
                    .lines()
                    .forEach(to);
              } catch (UncheckedIOException closed) {
                // Killed in the middle of a line: what it said until then is all there is.
              }
            });
  }
}
