package dev.rekindle.detect.evidence;

import dev.rekindle.detect.freeze.ContainerProcesses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Finds the ranks of a container by the environment of its processes.
 *
 * <p>A launcher such as torchrun gives each worker {@code RANK} and {@code LOCAL_RANK}, and has a
 * {@code RANK} of its own, the number of its node; without a launcher the process has only {@code
 * RANK}. What a rank starts, such as workers of a data loader, has the same environment: the first
 * process is the rank.
 *
 * <p>The environment is the program's: it may say what it likes of its own ranks.
 */
final class RankProcesses {
  private static final int MOST_BYTES = 256 << 10;
  private static final int MOST_PATH = 4096;
  private static final Pattern NUMBER = Pattern.compile("\\d{1,6}");

  /** The newer name first. */
  private static final List<String> DUMP =
      List.of("TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE");

  private static final List<String> PIPE = List.of("TORCH_NCCL_DEBUG_INFO_PIPE_FILE");

  private final Path proc;
  private final ContainerProcesses processes;

  RankProcesses(Path proc) {
    this.proc = proc;
    this.processes = new ContainerProcesses(proc);
  }

  private record Found(long pid, boolean stopped, Map<String, String> environment) {
    boolean isWorker() {
      return environment.containsKey("LOCAL_RANK");
    }

    String first(List<String> names) {
      return names.stream()
          .map(name -> environment.getOrDefault(name, ""))
          .filter(value -> value.startsWith("/") && value.length() <= MOST_PATH)
          .findFirst()
          .orElse("");
    }

    int number(String name) {
      var value = environment.getOrDefault(name, "");
      return NUMBER.matcher(value).matches() ? Integer.parseInt(value) : -1;
    }
  }

  /**
   * The ranks of a container, by number.
   *
   * @throws IOException when there is no proc file system
   */
  List<RankProcess> of(String container) throws IOException {
    List<Found> all = new ArrayList<>();
    for (long pid : processes.of(container)) {
      var environment = environment(pid);
      if (environment.containsKey("RANK")) {
        all.add(new Found(pid, processes.isStopped(pid), environment));
      }
    }
    boolean launched = all.stream().anyMatch(Found::isWorker);
    Map<Integer, List<Found>> byRank = new TreeMap<>();
    all.stream()
        .filter(found -> !launched || found.isWorker())
        .filter(found -> found.number("RANK") >= 0)
        .forEach(f -> byRank.computeIfAbsent(f.number("RANK"), _ -> new ArrayList<>()).add(f));
    List<RankProcess> ranks = new ArrayList<>();
    byRank.forEach((rank, found) -> ranks.add(rank(rank, found)));
    return ranks;
  }

  /** Ids count up, so what a process starts has a higher one, but for the wrap-around. */
  private static RankProcess rank(int rank, List<Found> found) {
    var recorded =
        found.stream().filter(f -> !f.first(PIPE).isEmpty()).findFirst().orElse(found.getFirst());
    return new RankProcess(
        rank,
        Math.max(0, recorded.number("WORLD_SIZE")),
        recorded.pid(),
        found.stream().anyMatch(Found::stopped),
        recorded.first(DUMP),
        recorded.first(PIPE));
  }

  private Map<String, String> environment(long pid) {
    Map<String, String> environment = new HashMap<>();
    try (var in = Files.newInputStream(proc.resolve(pid + "/environ"))) {
      var text = new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
      for (var entry : text.split("\0", -1)) {
        int equals = entry.indexOf('=');
        if (equals > 0) {
          environment.putIfAbsent(entry.substring(0, equals), entry.substring(equals + 1));
        }
      }
    } catch (IOException ended) {
      // It has ended, or may not be read: then it is not looked at.
      return Map.of();
    }
    return environment;
  }
}
