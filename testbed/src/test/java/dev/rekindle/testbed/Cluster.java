package dev.rekindle.testbed;

import dev.rekindle.api.NodeFault;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The nodes of one test, and what can be done to them. */
final class Cluster {
  static final String FENCED_BY = "rekindle.dev/fenced-by";
  static final String FENCE_REASON = "rekindle.dev/fence-reason";
  static final String FENCED_AT = "rekindle.dev/fenced-at";

  /**
   * A fence comes within a second of the record. This is for an agent that stands still, and for a
   * controller that has to take the lead first; what waits for an incident to end or for a retry
   * takes minutes.
   */
  static final Duration FENCED = Duration.ofSeconds(45);

  static final String TOUCH = "{\"metadata\": {\"annotations\": {\"rekindle.test/touch\": \"1\"}}}";

  private static final Duration COMMAND = Duration.ofMinutes(2);

  /** An agent reports once a second. */
  private static final Duration REPORT = Duration.ofMinutes(1);

  /** A fence is lifted within a second; a node that woke up is Ready some seconds later. */
  private static final Duration USABLE = Duration.ofMinutes(2);

  private final KubernetesClient client;
  private final List<String> names;
  private final Consumer<Runnable> onCleanUp;
  private final Set<String> frozen = new TreeSet<>();

  Cluster(KubernetesClient client, List<String> names, Consumer<Runnable> onCleanUp) {
    this.client = client;
    this.names = names;
    this.onCleanUp = onCleanUp;
  }

  /** What the driver prints for an Xid. */
  static String xid(int code, String text) {
    return "NVRM: Xid (PCI:0000:3b:00): %d, pid=1234, %s".formatted(code, text);
  }

  /** The record of the issue: a GPU is gone. */
  static String gpuOffTheBus() {
    return xid(79, "GPU has fallen off the bus.");
  }

  /** Puts one record into the kernel log of a node; gives the moment at which it was written. */
  Instant inject(String node, String line) {
    Testbed.command(COMMAND, "testbed", "inject", node, line);
    try {
      return Files.getLastModifiedTime(kernelLog(node)).toInstant();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Puts bytes into the kernel log of a node that no kernel would. */
  void injectRaw(String node, String text) {
    try {
      Files.writeString(kernelLog(node), text, StandardCharsets.UTF_8, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * A record of a program's, which the kernel takes from any process that may write to its log: by
   * its first number it is none of the kernel's own.
   */
  void injectAsProgram(String node, String line) {
    try {
      long last =
          Files.readAllLines(kernelLog(node)).stream()
              .filter(l -> l.matches("\\d+,\\d+,\\d+,.*"))
              .mapToLong(l -> Long.parseLong(l.split(",", 3)[1]))
              .max()
              .orElse(0);
      injectRaw(node, "12,%d,%d,-;%s\n".formatted(last + 1, last + 1, line));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path kernelLog(String node) {
    return Testbed.RUN.resolve(node).resolve("kmsg");
  }

  /** Stops kubelet and pods of a node, as if the machine hung. */
  void freeze(String node) {
    frozen.add(node);
    Testbed.command(COMMAND, "testbed", "freeze", node);
  }

  /** Stops the kubelet of a node; its pods run on. */
  void freezeKubelet(String node) {
    frozen.add(node);
    Testbed.command(COMMAND, "testbed", "freeze", "--kubelet-only", node);
  }

  void thaw(String node) {
    Testbed.command(COMMAND, "testbed", "thaw", node);
    frozen.remove(node);
  }

  void thawAll() {
    Set.copyOf(frozen).forEach(this::thaw);
  }

  /** No client can reach the API server meanwhile, the test included. */
  void withoutApiServer(Duration time) {
    List<Long> server = List.of(Testbed.process("apiserver"));
    Host.signal("STOP", server);
    try {
      Await.pause(time);
    } finally {
      Host.signal("CONT", server);
    }
  }

  List<Node> nodes() {
    return client.nodes().list().getItems().stream()
        .filter(n -> names.contains(n.getMetadata().getName()))
        .toList();
  }

  Node node(String name) {
    return Optional.ofNullable(client.nodes().withName(name).get())
        .orElseThrow(() -> new AssertionError("no node " + name));
  }

  /** What an administrator does with kubectl cordon; undone after the test. */
  void cordon(String node) {
    setUnschedulable(node, true);
    onCleanUp.accept(() -> uncordon(node));
  }

  /** Puts a label on the node; what was there before comes back after the test. */
  void label(String node, String key, String value) {
    String before =
        Optional.ofNullable(node(node).getMetadata().getLabels()).map(l -> l.get(key)).orElse(null);
    setLabel(node, key, value);
    onCleanUp.accept(() -> setLabel(node, key, before));
  }

  private void setLabel(String node, String key, @Nullable String value) {
    client
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"%s\": %s}}}"
                .formatted(key, value == null ? "null" : '"' + value + '"'));
  }

  /** Writes a node, and changes nothing of it. */
  void touch(String node) {
    client.nodes().withName(node).dryRun().patch(PatchContext.of(PatchType.JSON_MERGE), TOUCH);
  }

  void uncordon(String node) {
    setUnschedulable(node, false);
  }

  /** Others write nodes all the time: this says nothing of the version that it changes. */
  private void setUnschedulable(String node, boolean unschedulable) {
    client
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\": {\"unschedulable\": %s}}".formatted(unschedulable ? "true" : "null"));
  }

  static boolean unschedulable(Node node) {
    return Boolean.TRUE.equals(node.getSpec().getUnschedulable());
  }

  static Map<String, String> annotations(Node node) {
    return Optional.ofNullable(node.getMetadata().getAnnotations()).orElse(Map.of());
  }

  /** Cordoned with our mark. */
  static boolean fencedByUs(Node node) {
    return unschedulable(node) && annotations(node).containsKey(FENCED_BY);
  }

  static boolean ready(Node node) {
    return node.getStatus().getConditions().stream()
        .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
  }

  /** Faults reported of a node. */
  List<NodeFault> faults(String node) {
    return client.resources(NodeFault.class).list().getItems().stream()
        .filter(f -> f.getSpec().node().equals(node))
        .toList();
  }

  /** Waits until the agent of a node has reported a fault. */
  NodeFault awaitFault(String node, String code) {
    return Await.value(
        "NodeFault %s on %s".formatted(code, node),
        REPORT,
        () -> faults(node).stream().filter(f -> f.getSpec().code().equals(code)).findFirst(),
        () -> "there are: " + faults(node));
  }

  /**
   * What an SRE does after a thorough repair. A node that earlier tests have broken three times
   * would be the second choice of every placement.
   */
  void forgive() {
    for (String name : names) {
      client
          .nodes()
          .withName(name)
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              """
              {"metadata": {"annotations": {"rekindle.dev/incidents": null,
                                            "rekindle.dev/stalls": null},
                            "labels": {"rekindle.dev/lemon": null}}}
              """);
    }
  }

  /** What an SRE does after a repair. */
  void forgetFaults() {
    client.resources(NodeFault.class).list().getItems().stream()
        .filter(f -> names.contains(f.getSpec().node()))
        .forEach(f -> client.resource(f).delete());
  }

  /** Waits until every node is Ready, open to pods and without a mark of ours. */
  void awaitAllUsable() {
    Await.until(
        "all nodes Ready, schedulable and without our mark",
        USABLE,
        () ->
            nodes().stream()
                .allMatch(
                    n -> ready(n) && !unschedulable(n) && !annotations(n).containsKey(FENCED_BY)),
        () ->
            nodes().stream()
                .map(
                    n ->
                        "%s: ready %b, unschedulable %b, %s"
                            .formatted(
                                n.getMetadata().getName(),
                                ready(n),
                                unschedulable(n),
                                annotations(n).keySet()))
                .toList()
                .toString());
  }
}
