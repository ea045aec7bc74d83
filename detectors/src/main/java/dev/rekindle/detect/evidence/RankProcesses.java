package dev.rekindle.detect.evidence;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.detect.freeze.ContainerProcesses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

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

  /** More than any node runs in one container for training, loaders of data included. */
  private static final int MOST_PROCESSES = 4096;

  /** Ranks that are kept while processes are read, twice: an environment is long. */
  private static final int MOST_RANKS = 4 * RankEvidence.MOST_RANKS;

  private static final Pattern NUMBER = Pattern.compile("\\d{1,6}");

  /** The newer name first. */
  private static final List<String> DUMP =
      List.of("TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE");

  private static final List<String> PIPE = List.of("TORCH_NCCL_DEBUG_INFO_PIPE_FILE");

  private final Path proc;
  private final ContainerProcesses processes;

  /**
   * Ranks of a container.
   *
   * @param ranks by number
   * @param leftOut how many more there are
   */
  record Found(List<RankProcess> ranks, int leftOut) {
    /** So many of them. */
    Found first(int most) {
      int kept = Math.min(most, ranks.size());
      return new Found(ranks.subList(0, kept), leftOut + ranks.size() - kept);
    }
  }

  RankProcesses(Path proc) {
    this.proc = proc;
    this.processes = new ContainerProcesses(proc);
  }

  /**
   * The ranks of a container, by number.
   *
   * @throws IOException when there is no proc file system
   */
  Found of(String container) throws IOException {
    Map<Integer, RankProcess> workers = new TreeMap<>();
    Map<Integer, RankProcess> alone = new TreeMap<>();
    Set<Integer> workersLeftOut = new HashSet<>();
    Set<Integer> aloneLeftOut = new HashSet<>();
    // Ids count up, so what a process starts has a higher one, but for the wrap-around.
    var ids = processes.of(container).stream().limit(MOST_PROCESSES).iterator();
    while (ids.hasNext()) {
      long pid = ids.next();
      var environment = environment(pid);
      int rank = number(environment, "RANK");
      boolean worker = environment.containsKey("LOCAL_RANK");
      var byRank = worker ? workers : alone;
      if (rank >= 0 && (byRank.containsKey(rank) || byRank.size() < MOST_RANKS)) {
        byRank.merge(rank, rank(rank, pid, environment), RankProcesses::together);
      } else if (rank >= 0) {
        (worker ? workersLeftOut : aloneLeftOut).add(rank);
      }
    }
    return workers.isEmpty()
        ? new Found(List.copyOf(alone.values()), aloneLeftOut.size())
        : new Found(List.copyOf(workers.values()), workersLeftOut.size());
  }

  private RankProcess rank(int rank, long pid, Map<String, String> environment) {
    return new RankProcess(
        rank,
        Math.max(0, number(environment, "WORLD_SIZE")),
        pid,
        processes.isStopped(pid),
        path(environment, DUMP),
        path(environment, PIPE),
        List.of(pid));
  }

  /** The first of a rank's processes, or the first that has a pipe; stopped if any of them is. */
  private static RankProcess together(RankProcess first, RankProcess later) {
    var recorded = first.pipePrefix().isEmpty() && !later.pipePrefix().isEmpty() ? later : first;
    return new RankProcess(
        recorded.rank(),
        recorded.worldSize(),
        recorded.pid(),
        first.stopped() || later.stopped(),
        recorded.dumpPrefix(),
        recorded.pipePrefix(),
        Stream.concat(first.all().stream(), later.all().stream())
            .limit(RankProcess.MOST_PROCESSES)
            .toList());
  }

  private static String path(Map<String, String> environment, List<String> names) {
    return names.stream()
        .map(name -> environment.getOrDefault(name, ""))
        .filter(value -> value.startsWith("/") && value.length() <= MOST_PATH)
        .findFirst()
        .orElse("");
  }

  private static int number(Map<String, String> environment, String name) {
    var value = environment.getOrDefault(name, "");
    return NUMBER.matcher(value).matches() ? Integer.parseInt(value) : -1;
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
      // It has ended, or may not be read: then it is left out.
      return Map.of();
    }
    return environment;
  }
}
