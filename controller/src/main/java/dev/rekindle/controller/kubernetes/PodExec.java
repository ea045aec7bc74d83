package dev.rekindle.controller.kubernetes;

import dev.rekindle.cli.RefusedException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs a program in a pod of the installation, with the rights of a person. */
public final class PodExec {
  /** What more is printed is dropped. */
  private static final int MOST_BYTES = 65_536;

  private final KubernetesClient client;
  private final String namespace;

  /** Calls with that client, for the installation in that namespace. */
  public PodExec(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /**
   * What came of it.
   *
   * @param code its exit code
   * @param text what it printed
   */
  public record Result(int code, String text) {}

  /** The name of a pod of the controller that is Ready; empty where none is. */
  public Optional<String> readyController() {
    return client
        .pods()
        .inNamespace(namespace)
        .withLabel("app.kubernetes.io/name", "rekindle")
        .withLabel("app.kubernetes.io/component", "controller")
        .list()
        .getItems()
        .stream()
        .filter(p -> p.getMetadata().getDeletionTimestamp() == null)
        .filter(Readiness.getInstance()::isReady)
        .map(Pod::getMetadata)
        .map(m -> m.getName())
        .sorted()
        .findFirst();
  }

  /** Runs it there, and waits for its end for so long. */
  public Result run(String pod, String container, List<String> words, Duration limit)
      throws RefusedException {
    var said = new Bounded();
    try (ExecWatch watch =
        client
            .pods()
            .inNamespace(namespace)
            .withName(pod)
            .inContainer(container)
            .writingOutput(said)
            .writingError(said)
            .exec(words.toArray(String[]::new))) {
      return new Result(watch.exitCode().get(limit.toMillis(), TimeUnit.MILLISECONDS), said.text());
    } catch (TimeoutException late) {
      throw new RefusedException(
          "no answer from pod %s within %d s".formatted(pod, limit.toSeconds()));
    } catch (ExecutionException failed) {
      throw new RefusedException("pod %s: %s".formatted(pod, failed.getCause()));
    } catch (InterruptedException asked) {
      Thread.currentThread().interrupt();
      throw new RefusedException("interrupted");
    }
  }

  /** Keeps so much and takes the rest, so that the program does not wait. */
  private static final class Bounded extends OutputStream {
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

    @Override
    public synchronized void write(int b) {
      if (kept.size() < MOST_BYTES) {
        kept.write(b);
      }
    }

    synchronized String text() {
      return kept.toString(StandardCharsets.UTF_8);
    }
  }
}
