package dev.rekindle.testbed.scale;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What {@code testbed/scale.sh} does with the API server. Arguments: {@code nodes KUBECONFIG
 * NUMBER}, {@code recover KUBECONFIG JOB PODS WAY REPORT_SECONDS AUDIT_LOG FILE}, {@code table
 * FILE}, {@code picture FILE}; what {@code testbed/storm.sh} does: {@code alone KUBECONFIG NODE LOG
 * ROUNDS FILE [CONSOLE PER_SECOND]}, {@code recoveries KUBECONFIG NUMBER}, {@code together
 * KUBECONFIG NODES ROUNDS AUDIT_LOG FILE}, {@code idle KUBECONFIG PID PORT SECONDS FILE}, {@code
 * signals KUBECONFIG PID PORT LOG SECONDS FILE}.
 */
public final class Scale {
  private static final int IN_FLIGHT = 64;

  /** The administrator's, in the file of tokens of the API server. */
  private static final String TOKEN = "admin";

  /** How many arguments {@code alone} has where there is no console beside it. */
  private static final int ALONE = 6;

  private static final String GPU = "nvidia.com/gpu";

  private Scale() {}

  /** Does what the first argument says. */
  public static void main(String... arguments) throws IOException {
    switch (arguments[0]) {
      case "nodes" -> nodes(Path.of(arguments[1]), Integer.parseInt(arguments[2]));
      case "recover" -> {
        Recover.Request request =
            new Recover.Request(
                Path.of(arguments[1]),
                arguments[2],
                Integer.parseInt(arguments[3]),
                arguments[4],
                Duration.ofSeconds(Long.parseLong(arguments[5])),
                Path.of(arguments[6]));
        Map<String, Object> result;
        try (Recover recover = new Recover(request)) {
          result = recover.run();
        }
        append(Path.of(arguments[7]), result);
      }
      case "alone" -> {
        try (Storm storm = new Storm(Path.of(arguments[1]))) {
          append(Path.of(arguments[5]), alone(storm, arguments));
        }
      }
      case "recoveries" -> {
        try (Api api = new Api(Path.of(arguments[1]), IN_FLIGHT)) {
          new Kept(api).make(Integer.parseInt(arguments[2]));
        }
      }
      case "together" -> {
        try (Storm storm = new Storm(Path.of(arguments[1]))) {
          for (Map<String, Object> result :
              storm.together(
                  Integer.parseInt(arguments[2]),
                  Integer.parseInt(arguments[3]),
                  Path.of(arguments[4]))) {
            append(Path.of(arguments[5]), result);
          }
        }
      }
      case "idle" -> {
        try (Signals signals = signals(arguments)) {
          append(Path.of(arguments[5]), signals.idle(seconds(arguments[4])));
        }
      }
      case "signals" -> {
        try (Signals signals = signals(arguments)) {
          append(
              Path.of(arguments[6]), signals.storm(Path.of(arguments[4]), seconds(arguments[5])));
        }
      }
      case "table" -> System.out.print(Table.of(Files.readAllLines(Path.of(arguments[1]))));
      case "picture" -> System.out.print(Picture.of(Files.readAllLines(Path.of(arguments[1]))));
      default -> throw new IllegalArgumentException(arguments[0]);
    }
    // The client's threads would keep the process for a minute.
    System.exit(0);
  }

  /** With page loads beside it, where a console is named. */
  private static Map<String, Object> alone(Storm storm, String... arguments) throws IOException {
    Path log = Path.of(arguments[3]);
    int rounds = Integer.parseInt(arguments[4]);
    if (arguments.length == ALONE) {
      return storm.alone(arguments[2], log, rounds);
    }
    try (PageLoads loads =
        PageLoads.start(
            URI.create(arguments[ALONE]), TOKEN, Integer.parseInt(arguments[ALONE + 1]))) {
      Map<String, Object> result = storm.alone(arguments[2], log, rounds);
      result.put("pages", loads.result());
      return result;
    }
  }

  private static Signals signals(String... arguments) {
    return new Signals(
        Path.of(arguments[1]), Long.parseLong(arguments[2]), Integer.parseInt(arguments[3]));
  }

  private static Duration seconds(String text) {
    return Duration.ofSeconds(Long.parseLong(text));
  }

  /** Adds a result to a file, as one line of JSON. */
  private static void append(Path file, Map<String, Object> result) throws IOException {
    Files.writeString(
        file,
        Serialization.asJson(result).replace("\n", " ") + "\n",
        StandardCharsets.UTF_8,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private static void nodes(Path kubeconfig, int number) {
    try (Api api = new Api(kubeconfig, IN_FLIGHT)) {
      List<Thread> threads = new ArrayList<>();
      IntStream.range(0, number)
          .mapToObj(Scale::node)
          .forEach(
              node ->
                  threads.add(
                      Thread.startVirtualThread(
                          () -> {
                            var _ = api.call(() -> api.client().resource(node).create());
                          })));
      for (Thread thread : threads) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  private static Node node(int index) {
    Map<String, Quantity> room =
        Map.of(
            "cpu",
            new Quantity("64"),
            "memory",
            new Quantity("512Gi"),
            "pods",
            new Quantity("110"),
            GPU,
            new Quantity("8"));
    return new NodeBuilder()
        .withNewMetadata()
        .withName("kwok-%05d".formatted(index))
        .addToLabels("kubernetes.io/hostname", "kwok-%05d".formatted(index))
        .addToLabels("type", "kwok")
        .endMetadata()
        .withNewStatus()
        .withCapacity(room)
        .withAllocatable(room)
        .endStatus()
        .build();
  }
}
