package dev.rekindle.testbed.scale;

import dev.rekindle.api.NodeFault;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a real agent weighs when nothing happens, and under a storm of faults in its kernel log: its
 * processor time, its memory, and whether every one of them is counted.
 */
final class Signals implements AutoCloseable {
  private static final int PER_SECOND = 2_000;
  private static final int GPUS = 8;
  private static final int BUSIEST = 10;
  private static final Duration BATCH = Duration.ofMillis(20);
  private static final Duration POLL = Duration.ofMillis(250);
  private static final Duration WINDOW = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final double TICKS_PER_SECOND = 100;
  private static final Pattern HEAP =
      Pattern.compile("^jvm_memory_used_bytes\\{area=\"heap\"} (\\S+)$", Pattern.MULTILINE);

  private final Api api;
  private final HttpClient http = HttpClient.newHttpClient();
  private final long pid;
  private final URI metrics;

  /**
   * @param pid the agent
   * @param port where it serves its metrics
   */
  Signals(Path kubeconfig, long pid, int port) {
    this.api = new Api(kubeconfig, 4);
    this.pid = pid;
    this.metrics = URI.create("http://127.0.0.1:" + port + "/metrics");
  }

  /** Does nothing for so long. */
  Map<String, Object> idle(Duration time) throws IOException {
    double before = cpuSeconds();
    Map<String, Long> threadsBefore = threadNanos();
    long began = System.nanoTime();
    Api.sleep(time);
    double seconds = (System.nanoTime() - began) / 1e9;
    Map<String, Long> threads = threadNanos();
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("what", "idle");
    result.put("seconds", Spread.round(seconds));
    result.put("percentOfACore", Math.round((cpuSeconds() - before) / seconds * 10_000) / 100.0);
    result.put("busiestThreads", shares(threadsBefore, threads, seconds));
    result.put("rssMiB", rssMiB());
    return result;
  }

  /** Percent of a core of the busiest, by name. */
  private static Map<String, Object> shares(
      Map<String, Long> before, Map<String, Long> after, double seconds) {
    Map<String, Object> busiest = new LinkedHashMap<>();
    after.entrySet().stream()
        .map(e -> Map.entry(e.getKey(), e.getValue() - before.getOrDefault(e.getKey(), 0L)))
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(BUSIEST)
        .forEach(e -> busiest.put(e.getKey(), Math.round(e.getValue() / seconds / 1e4) / 1000.0));
    return busiest;
  }

  /** Processor time of the living threads, summed over those of one name. */
  private Map<String, Long> threadNanos() throws IOException {
    Map<String, Long> nanos = new TreeMap<>();
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
      for (Path thread : threads.toList()) {
        try {
          nanos.merge(
              Files.readString(thread.resolve("comm")).strip(),
              Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ", 2)[0]),
              Long::sum);
        } catch (NoSuchFileException ended) {
          // Threads come and go.
        }
      }
    }
    return nanos;
  }

  /** Writes faults for so long, and waits until all are counted in the API. */
  Map<String, Object> storm(Path log, Duration time) throws IOException {
    double cpu = cpuSeconds();
    List<Double> floors = new ArrayList<>();
    long written = 0;
    long began = System.nanoTime();
    long end = began + time.toNanos();
    double floor = Double.MAX_VALUE;
    long window = began + WINDOW.toNanos();
    long next = began;
    try (Writer writer =
        Files.newBufferedWriter(log, StandardCharsets.UTF_8, StandardOpenOption.APPEND)) {
      while (System.nanoTime() < end) {
        long due = (System.nanoTime() - began) * PER_SECOND / 1_000_000_000L;
        for (; written < due; written++) {
          writer.write(record(written));
        }
        writer.flush();
        if (System.nanoTime() > next) {
          // Each poll makes garbage of its own in the agent.
          floor = Math.min(floor, heapMiB());
          next = System.nanoTime() + POLL.toNanos();
        }
        if (System.nanoTime() > window) {
          floors.add(Spread.round(floor));
          floor = Double.MAX_VALUE;
          window += WINDOW.toNanos();
        }
        Api.sleep(BATCH);
      }
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    double used = cpuSeconds() - cpu;
    long limit = System.nanoTime() + PATIENCE.toNanos();
    long counted = counted(api.client());
    while (counted < written && System.nanoTime() < limit) {
      Api.sleep(Duration.ofMillis(200));
      counted = counted(api.client());
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("what", "signals");
    result.put("written", written);
    result.put("counted", counted);
    result.put("perSecond", Spread.round(written / seconds));
    result.put("lowestHeapMiBEach10s", floors);
    result.put("percentOfACore", Spread.round(used / seconds * 100));
    result.put("rssMiB", rssMiB());
    return result;
  }

  private static String record(long number) {
    return "3,%d,%d,-;NVRM: Xid (PCI:0000:%02x:00): 48, pid=%d, name=python, DBE (double bit error) ECC Error\n"
        .formatted(1_000 + number, 1_000_000 + number * 500, number % GPUS + 1, 4_000 + number % 7);
  }

  private static long counted(KubernetesClient client) {
    return client.resources(NodeFault.class).list().getItems().stream()
        .map(NodeFault::getStatus)
        .filter(Objects::nonNull)
        .mapToLong(status -> status.count())
        .sum();
  }

  private double heapMiB() {
    try {
      var answer =
          http.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString()).body();
      var heap = HEAP.matcher(answer);
      if (!heap.find()) {
        throw new IllegalStateException("the agent exposes no heap");
      }
      return Double.parseDouble(heap.group(1)) / (1 << 20);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private double cpuSeconds() throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
    return (Long.parseLong(fields.get(11)) + Long.parseLong(fields.get(12))) / TICKS_PER_SECOND;
  }

  private double rssMiB() throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .map(line -> Double.parseDouble(line.replaceAll("\\D", "")) / 1024)
        .map(Spread::round)
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void close() {
    http.close();
    api.close();
  }
}
