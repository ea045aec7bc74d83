package dev.rekindle.controller.app;

import dev.rekindle.controller.install.Finding;
import dev.rekindle.controller.install.Installation.Answer;
import dev.rekindle.controller.install.Removal;
import dev.rekindle.controller.kubernetes.InstallationCalls;
import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.watch.AnswerLimit;
import dev.rekindle.watch.StoredJson;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Roles {@code check-install} and {@code check-removal} of the image: what {@code helm test} runs,
 * and what runs before {@code helm uninstall}. Exit code 0: as it must be; 1: it is not, or cannot
 * be read.
 */
public final class HookMain {
  /** A second apart: a lease is renewed within that many rounds, and a rollout mostly over. */
  private static final int ROUNDS = 60;

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Map<String, String> environment;
  private final PrintStream out;
  private final Pause pause;

  /** Waits between two checks. */
  interface Pause {
    void take() throws InterruptedException;
  }

  HookMain(Map<String, String> environment, PrintStream out, Pause pause) {
    this.environment = environment;
    this.out = out;
    this.pause = pause;
  }

  /**
   * Runs a check and ends the process.
   *
   * @param role which one
   */
  public static void main(String role) throws InterruptedException {
    var hook = new HookMain(System.getenv(), System.out, () -> Thread.sleep(1_000));
    int code;
    try (var client =
        new KubernetesClientBuilder()
            .withKubernetesSerialization(StoredJson.ofAllTypes())
            .withHttpClientBuilderConsumer(
                http -> http.addOrReplaceInterceptor(AnswerLimit.NAME, new AnswerLimit()))
            .build()) {
      code = role.equals("check-removal") ? hook.removal(client) : hook.install(client);
    }
    System.exit(code);
  }

  private String setting(String name) {
    return environment.getOrDefault(name, "");
  }

  /** Checks until all is well, or for as many rounds as it takes to say that it is not. */
  int install(KubernetesClient client) throws InterruptedException {
    var calls = new InstallationCalls(client, setting("REKINDLE_NAMESPACE"));
    List<Finding> findings = List.of();
    for (int round = 0; round < ROUNDS; round++) {
      if (round > 0) {
        pause.take();
      }
      findings = calls.read(setting("REKINDLE_AGENTS"), this::console).findings();
      if (findings.stream().allMatch(Finding::ok)) {
        break;
      }
    }
    out.print(Finding.text(findings));
    out.flush();
    return findings.stream().allMatch(Finding::ok) ? 0 : 1;
  }

  private Optional<Answer> console() {
    String address = setting("REKINDLE_CONSOLE");
    if (address.isEmpty()) {
      return Optional.empty();
    }
    try (var http = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
      var request = HttpRequest.newBuilder(URI.create(address)).timeout(PATIENCE).build();
      var answer = http.send(request, HttpResponse.BodyHandlers.discarding());
      return Optional.of(new Answer(answer.statusCode(), ""));
    } catch (IOException e) {
      return Optional.of(new Answer(0, e.toString()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of(new Answer(0, "interrupted"));
    }
  }

  /** Says what stays behind, and refuses where jobs would stay stopped. */
  int removal(KubernetesClient client) {
    try {
      Removal removal =
          new InstallationCalls(client, setting("REKINDLE_NAMESPACE"))
              .removal(WatchedNamespaces.of(environment));
      removal.lines().forEach(out::println);
      out.flush();
      return removal.refused() ? 1 : 0;
    } catch (KubernetesClientException e) {
      out.println("REFUSED: what is open cannot be read: " + InstallationCalls.why(e));
      out.println("To remove it all the same: helm uninstall RELEASE --no-hooks");
      out.flush();
      return 1;
    }
  }
}
