package dev.rekindle.testbed.scale;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How long it takes from a fault to a cordoned node: for one node alone, with a real agent and the
 * kernel's own log, and for many at once, with stand-ins that make the calls of as many agents.
 * Beside each the same nodes cordoned by calls with nothing around them.
 */
final class Storm implements AutoCloseable {
  private static final int IN_FLIGHT = 64;
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int WARM_UP = 3;
  private static final Duration PAUSE = Duration.ofMillis(150);

  private final Api api;
  private final Fences fences;

  Storm(Path kubeconfig) {
    api = new Api(kubeconfig, IN_FLIGHT);
    fences = new Fences(api.client());
  }

  /**
   * One fault after another on one node.
   *
   * @param node the node of the agent that reads that log
   * @param log what stands in for {@code /dev/kmsg}, where no process may speak as the kernel: a
   *     pipe, whose reads wait as those of the device do
   */
  Map<String, Object> alone(String node, Path log, int rounds) throws IOException {
    List<Long> ours = new ArrayList<>();
    List<Long> bare = new ArrayList<>();
    List<String> one = List.of(node);
    // An agent without a past reads the whole log, with the faults of an earlier run in it.
    Api.sleep(PATIENCE);
    api.client().resources(NodeFault.class).delete();
    fences.awaitReleased(one);
    long domain = Instant.now().getEpochSecond() & 0x7fff;
    for (int round = 0; round < rounds; round++) {
      // Another GPU each time: a fault that is known already is only counted.
      String address = "%04x:%02x:%02x".formatted(domain, round / 32 + 1, round % 32);
      long micros = microsSinceBoot();
      // Numbers grow from one run to the next: the agent passes over what it has read already.
      long sequence = micros / 1_000;
      long began = System.nanoTime();
      Files.writeString(
          log,
          "3,%d,%d,-;NVRM: Xid (PCI:%s): 79, GPU has fallen off the bus.\n"
              .formatted(sequence, micros, address),
          StandardOpenOption.WRITE);
      ours.add(fences.await(node) - began);
      // What the agent writes after the first sight of a fault is to be over.
      Api.sleep(PAUSE);
      api.client().resources(NodeFault.class).delete();
      fences.awaitReleased(one);
      Api.sleep(PAUSE);

      began = System.nanoTime();
      fences.patch(node, true);
      bare.add(fences.await(node) - began);
      fences.patch(node, false);
      fences.awaitReleased(one);
      Api.sleep(PAUSE);
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("what", "alone");
    result.put("rekindle", Spread.ofNanos(ours).json());
    result.put("bare", Spread.ofNanos(bare).json());
    return result;
  }

  private static long microsSinceBoot() throws IOException {
    String seconds = Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0];
    return new BigDecimal(seconds).movePointRight(6).longValue();
  }

  /**
   * Faults on so many nodes at once; beside them the cordons alone, and both by one bare client:
   * the calls of the agents and the cordon, with no decision between them.
   *
   * @param auditLog of the API server
   */
  List<Map<String, Object>> together(int nodes, int rounds, Path auditLog) throws IOException {
    List<String> struck = IntStream.range(1, nodes + 1).mapToObj(Storm::name).toList();
    // The stand-ins are one process that has just begun; agents have run for days.
    for (int i = 0; i < WARM_UP; i++) {
      inParallel(struck, node -> report(node, FenceGuidance.NEVER));
      api.client().resources(NodeFault.class).delete();
      bare(struck, node -> fences.patch(node, true));
    }
    List<Map<String, Object>> results = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("what", "together");
      result.put("nodes", nodes);
      Instant since = Instant.now();
      Busy before = Busy.now();
      result.put("rekindle", measure(struck, node -> report(node, FenceGuidance.ALWAYS)));
      result.put("cpuSeconds", Busy.now().since(before));
      // Events and what agents write last may come after the last cordon.
      Api.sleep(PATIENCE);
      result.put("calls", calls(auditLog, since));
      long began = System.nanoTime();
      api.client().resources(NodeFault.class).delete();
      fences.awaitReleased(struck);
      result.put("releaseSeconds", Spread.round((System.nanoTime() - began) / 1e9));
      Api.sleep(PATIENCE);
      result.put("bare", bare(struck, node -> fences.patch(node, true)));
      result.put("bareWithReports", bare(struck, this::reportAndCordon));
      api.client().resources(NodeFault.class).delete();
      Api.sleep(PATIENCE);
      results.add(result);
    }
    return results;
  }

  private void reportAndCordon(String node) {
    // Of a node that is cordoned nothing is fenced: the controller reconciles, and has nothing to
    // do.
    report(node, FenceGuidance.NEVER);
    fences.patch(node, true);
  }

  private Map<String, Object> bare(List<String> nodes, Consumer<String> strike) {
    Map<String, Object> json = measure(nodes, strike);
    inParallel(nodes, node -> fences.patch(node, false));
    fences.awaitReleased(nodes);
    return json;
  }

  private static Map<String, Object> calls(Path auditLog, Instant since) throws IOException {
    try (Stream<String> lines = Files.lines(auditLog)) {
      return Audit.of(lines, since).spread(since);
    }
  }

  private Map<String, Object> measure(List<String> nodes, Consumer<String> strike) {
    long first = System.nanoTime();
    inParallel(nodes, strike);
    Map<String, Long> cordoned = fences.await(nodes);
    Map<String, Object> json =
        Spread.ofNanos(cordoned.values().stream().map(at -> at - first).toList()).json();
    long last = cordoned.values().stream().mapToLong(Long::longValue).max().orElse(first);
    json.put("perSecond", Spread.round(nodes.size() / ((last - first) / 1e9)));
    return json;
  }

  private void inParallel(List<String> nodes, Consumer<String> deed) {
    List<Thread> threads = new ArrayList<>();
    for (String node : nodes) {
      threads.add(
          Thread.startVirtualThread(
              () -> {
                var _ =
                    api.call(
                        () -> {
                          deed.accept(node);
                          return node;
                        });
              }));
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** The two calls of an agent that meets a fault for the first time. */
  private void report(String node, FenceGuidance fence) {
    Instant now = Instant.now();
    String line = "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.";
    NodeFault fault = new NodeFault();
    fault.setMetadata(new ObjectMetaBuilder().withName(node + ".0000-3b-00.xid-79").build());
    fault.setSpec(
        new NodeFaultSpec(
            node,
            ComponentType.GPU,
            "0000:3b:00",
            "XID-79",
            "kmsg",
            fence,
            "reboot_node",
            "stand-in",
            now,
            line));
    NodeFault created = api.client().resource(fault).create();
    created.setStatus(
        new NodeFaultStatus(
            NodeFaultStatus.State.ACTIVE, 1, now, "stand-in", 1, line, List.of(), "", null));
    var _ = api.client().resource(created).updateStatus();
  }

  private static String name(int index) {
    return "kwok-%05d".formatted(index);
  }

  @Override
  public void close() {
    fences.close();
    api.close();
  }
}
