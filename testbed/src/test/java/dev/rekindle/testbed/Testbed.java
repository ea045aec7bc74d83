package dev.rekindle.testbed;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The one cluster of a run, brought up and taken down by the project's own command. {@code
 * -Dtestbed.reuse=true} takes the one that runs already as it is; {@code -Dtestbed.keep=true}
 * leaves the one that was started.
 */
final class Testbed implements AutoCloseable {
  /** The project's folder. */
  static final Path ROOT =
      Path.of(System.getProperty("testbed.root", "..")).toAbsolutePath().normalize();

  /** What belongs to the running cluster, see testbed/lib.sh. */
  static final Path RUN = Path.of(System.getenv().getOrDefault("RUN", "/tmp/rekindle-testbed"));

  /** Where the tests write what people read. */
  static final Path OUT = Path.of(System.getProperty("testbed.out", "target/e2e")).toAbsolutePath();

  /** Where the jobs run. */
  static final String NAMESPACE = "e2e";

  /** Also runs tests that others of the same class stand for in a build. */
  static final String ALL = "testbed.all";

  /** The API server stands still for some seconds at times. */
  private static final int ANSWER_MILLIS = 60_000;

  private static final Duration FIRST_TIME = Duration.ofMinutes(40);

  private final boolean takeDown;
  private final KubernetesClient client;
  private final SystemLogs systemLogs;
  private final Halves halves;
  private final NotificationReceiver receiver;

  private Testbed(boolean takeDown) {
    this.takeDown = takeDown;
    try {
      receiver = NotificationReceiver.start();
    } catch (IOException e) {
      throw new UncheckedIOException("the port of the webhook in testbed/values.yaml is taken", e);
    }
    client = new KubernetesClientBuilder().withConfig(administrator()).build();
    systemLogs = new SystemLogs();
    halves = new Halves(client);
    makeNamespace();
  }

  /** Pods can be made in it as soon as it has its service account. */
  private void makeNamespace() {
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .serverSideApply();
    Await.until(
        "the service account of namespace " + NAMESPACE,
        Duration.ofMinutes(2),
        () -> client.serviceAccounts().inNamespace(NAMESPACE).withName("default").get() != null);
  }

  static Config administrator() {
    return new ConfigBuilder(Config.fromKubeconfig(read(RUN.resolve("kube/admin"))))
        .withRequestTimeout(ANSWER_MILLIS)
        .build();
  }

  /** Brings it up, or finds it. */
  static Testbed start() {
    boolean runs = runs();
    if (Boolean.getBoolean("testbed.reuse")) {
      if (!runs) {
        throw new IllegalStateException("-Dtestbed.reuse=true, but no testbed runs");
      }
      return new Testbed(false);
    }
    command(FIRST_TIME, "testbed", "up", "--nodes", Integer.toString(Half.ALL_NODES));
    return new Testbed(!runs && !Boolean.getBoolean("testbed.keep"));
  }

  private static boolean runs() {
    String rekindle = ROOT.resolve("rekindle").toString();
    return Command.run(
            Duration.ofMinutes(1),
            List.of(rekindle, "testbed", "kubeconfig"),
            new StringBuilder(),
            _ -> {})
        == 0;
  }

  /** Runs {@code ./rekindle ...}, logging its progress, and gives its stdout. */
  static String command(Duration limit, String... arguments) {
    List<String> program = new java.util.ArrayList<>(List.of(ROOT.resolve("rekindle").toString()));
    program.addAll(List.of(arguments));
    StringBuilder said = new StringBuilder();
    int code = Command.run(limit, program, said, Testbed::log);
    if (code != 0) {
      throw new AssertionError("%s: exit code %d".formatted(String.join(" ", program), code));
    }
    return said.toString();
  }

  /** Process id of a daemon of the testbed. */
  static long process(String daemon) {
    return Long.parseLong(read(RUN.resolve("pids").resolve(daemon)).strip());
  }

  /** Logs a line for the person who watches the build. */
  static void log(String text) {
    System.out.println("[testbed] " + text);
  }

  /** The administrator's client. */
  KubernetesClient client() {
    return client;
  }

  /** Where the controller's notifications go. */
  NotificationReceiver receiver() {
    return receiver;
  }

  /** Halves of the nodes, for tests that break nodes side by side. */
  Halves halves() {
    return halves;
  }

  /** What controller and agents wrote since the suite began. */
  SystemLogs systemLogs() {
    return systemLogs;
  }

  @Override
  public void close() {
    systemLogs.close();
    receiver.close();
    client.close();
    if (takeDown) {
      command(Duration.ofMinutes(3), "testbed", "down");
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Every line of our own pods, kept although pods come and go. */
  static final class SystemLogs implements AutoCloseable {
    private static final int MOST = 200_000;
    private final List<LogLine> lines =
        java.util.Collections.synchronizedList(new java.util.ArrayList<>());
    private final LogTail tail = new LogTail(Pattern.compile("rekindle-system_.*"), this::take);

    private void take(LogLine line) {
      if (lines.size() < MOST) {
        lines.add(line);
      }
    }

    /** The lines since a moment. */
    List<LogLine> since(Instant moment) {
      synchronized (lines) {
        return lines.stream().filter(l -> !l.time().isBefore(moment)).toList();
      }
    }

    @Override
    public void close() {
      tail.close();
    }
  }
}
