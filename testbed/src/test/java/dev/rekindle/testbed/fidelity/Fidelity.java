package dev.rekindle.testbed.fidelity;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

/**
 * All scenarios on a real cluster, beside each other, since most of their time is waiting. They
 * begin one after the other: the training operator is allowed few calls per second and gets slow
 * when many jobs begin at once.
 */
public final class Fidelity implements AutoCloseable {
  private static final Duration APART = Duration.ofMillis(1500);
  private static final int AT_ONCE = 10;

  /** Chance moves what happens within tenths of seconds: an agreement by luck does not last. */
  private static final int SEEDS = 10;

  private final RealCluster cluster;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Semaphore room = new Semaphore(AT_ONCE, true);
  private final Map<String, Scenario> scenarios = new LinkedHashMap<>();
  private final Map<String, Future<Observation>> observations = new LinkedHashMap<>();
  private final String prefix = Long.toString(ProcessHandle.current().pid(), 36);

  /** Begins to play them. */
  public Fidelity(KubernetesClient client, Machines machines) {
    this(client, machines, Scenarios.all());
  }

  /** Begins to play some of them again and again: what differs once in twenty times shows. */
  public Fidelity(KubernetesClient client, Machines machines, Set<String> names, int times) {
    this(
        client,
        machines,
        IntStream.rangeClosed(1, times)
            .boxed()
            .flatMap(
                time ->
                    Scenarios.all().stream()
                        .filter(scenario -> names.contains(scenario.name()))
                        .map(scenario -> scenario.named(scenario.name() + "-" + time)))
            .toList());
  }

  Fidelity(KubernetesClient client, Machines machines, List<Scenario> wanted) {
    cluster = new RealCluster(client, machines);
    for (Scenario scenario : wanted) {
      int turn = scenarios.size();
      scenarios.put(scenario.name(), scenario);
      observations.put(scenario.name(), threads.submit(() -> run(scenario, turn)));
    }
  }

  private Observation run(Scenario scenario, int turn) throws InterruptedException {
    Thread.sleep(APART.multipliedBy(turn));
    room.acquire();
    try (Subject subject = new RealSubject(cluster, scenario, "f%s%d".formatted(prefix, turn))) {
      return ScenarioRun.of(scenario, subject);
    } finally {
      room.release();
    }
  }

  /** Names of the scenarios. */
  public List<String> scenarios() {
    return List.copyOf(scenarios.keySet());
  }

  /**
   * Waits until a scenario is over, writes down what was seen, and compares it with the model.
   *
   * @param folder for the file with what was seen
   * @throws AssertionError where the model differs, with both side by side
   */
  public void check(String scenario, Path folder) {
    Observation real = real(scenario);
    try {
      Files.writeString(Files.createDirectories(folder).resolve(file(scenario)), real.text());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    check(find(scenario), "real", real);
  }

  private Scenario find(String name) {
    Scenario scenario = scenarios.get(name);
    if (scenario == null) {
      throw new IllegalArgumentException(name);
    }
    return scenario;
  }

  /** Plays the scenario on the model, under several seeds, and compares it with what is known. */
  static void check(Scenario scenario, String known, Observation expected) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Observation simulated;
      try (Subject subject = new SimSubject(scenario, seed)) {
        simulated = ScenarioRun.of(scenario, subject);
      }
      if (!simulated.equals(expected)) {
        throw new AssertionError(
            "%s, seed %d:%n%s"
                .formatted(scenario.name(), seed, expected.beside(known, simulated, "simulated")));
      }
    }
  }

  /** Where the observations of a scenario are written. */
  static String file(String scenario) {
    return scenario + ".txt";
  }

  Observation real(String scenario) {
    Future<Observation> seen = observations.get(scenario);
    if (seen == null) {
      throw new IllegalArgumentException(scenario);
    }
    try {
      return seen.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("scenario " + scenario, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Waits for all of them, and removes what they left. */
  @Override
  public void close() {
    threads.close();
    cluster.close();
  }
}
