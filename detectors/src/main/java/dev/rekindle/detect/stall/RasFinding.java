package dev.rekindle.detect.stall;

import static java.util.stream.Collectors.toCollection;

import dev.rekindle.detect.ras.RasAnswer;
import dev.rekindle.detect.ras.RasAnswer.Communicator;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * What answers of NCCL's RAS show. It convicts and acquits no rank: it counts what was launched,
 * not what has completed, and five kinds of collectives only.
 *
 * @param suspects global ranks that gave no answer, or are behind in the group of all ranks while
 *     nothing moves
 * @param lines for people
 */
record RasFinding(NavigableSet<Integer> suspects, List<String> lines) {
  private static final int FEW = 4;

  /** Of no answers. */
  static final RasFinding NONE = new RasFinding(new TreeSet<>(), List.of());

  /**
   * Of the answers of one job.
   *
   * @param answers in any order
   * @param worldSize ranks of the job; 0 when it is not known
   */
  static RasFinding of(Collection<RasAnswer> answers, int worldSize) {
    if (answers.isEmpty()) {
      return NONE;
    }
    var inOrder = answers.stream().sorted(Comparator.comparing(RasAnswer::time)).toList();
    List<String> lines = new ArrayList<>();
    inOrder.stream()
        .filter(RasAnswer::isUnsafe)
        .findFirst()
        .ifPresent(
            answer ->
                lines.add(
                    "RAS: NCCL %s is unsafe to query: it can crash the job"
                        .formatted(answer.version())));
    int largest =
        inOrder.stream()
            .flatMap(answer -> answer.communicators().stream())
            .mapToInt(Communicator::size)
            .max()
            .orElse(0);
    if (worldSize > 0 && largest > worldSize) {
      lines.add("RAS: not used: a communicator of %d ranks is of another job".formatted(largest));
      return new RasFinding(new TreeSet<>(), lines);
    }
    NavigableSet<Integer> suspects = new TreeSet<>();
    var last = inOrder.getLast();
    boolean moved = moved(inOrder);
    if (moved) {
      lines.add("RAS: counts moved between answers: the ranks made progress");
    }
    for (var communicator : last.communicators()) {
      if (lines.size() > StallReport.MOST_EVIDENCE) {
        break;
      }
      // Ranks are counted inside a communicator: only in that of all they are the global ones.
      boolean all = communicator.size() == (worldSize > 0 ? worldSize : largest);
      var silent = silent(communicator, inOrder, all, lines);
      if (!moved) {
        var late = late(communicator, inOrder.size(), all, lines);
        if (all) {
          suspects.addAll(silent);
          suspects.addAll(late);
        }
      }
      if (!communicator.failed().isEmpty()) {
        lines.add(
            "RAS: %s%s: the communicator has an error"
                .formatted(StallAnalysis.ranks(communicator.failed()), inside(communicator, all)));
      }
    }
    return new RasFinding(suspects, lines);
  }

  private static String inside(Communicator communicator, boolean all) {
    return all ? "" : " of a communicator of " + communicator.size();
  }

  private static boolean moved(List<RasAnswer> inOrder) {
    Map<String, Map<String, Map<Integer, Long>>> seen = new HashMap<>();
    boolean moved = false;
    for (var answer : inOrder) {
      for (var communicator : answer.communicators()) {
        var before = seen.put(communicator.hash(), communicator.counts());
        moved = moved || (before != null && !before.equals(communicator.counts()));
      }
    }
    return moved;
  }

  /** Ranks that are missing in all answers. */
  private static Set<Integer> silent(
      Communicator communicator, List<RasAnswer> inOrder, boolean all, List<String> lines) {
    NavigableSet<Integer> silent = new TreeSet<>();
    for (var missing : communicator.missing()) {
      boolean always =
          inOrder.stream()
              .flatMap(answer -> answer.communicators().stream())
              .filter(other -> other.hash().equals(communicator.hash()))
              .allMatch(
                  other -> other.missing().stream().anyMatch(m -> m.rank() == missing.rank()));
      if (always && silent.add(missing.rank()) && silent.size() <= FEW) {
        lines.add(
            "RAS: rank %d%s,%s %s in %d answers"
                .formatted(
                    missing.rank(),
                    inside(communicator, all),
                    missing.process() < 0
                        ? ""
                        : " process %d on %s,".formatted(missing.process(), missing.host()),
                    missing.dead() ? "is assumed dead" : "does not answer",
                    inOrder.size()));
      }
    }
    return silent;
  }

  /** Ranks that have launched less than others, where they are few and nothing moves. */
  private static Set<Integer> late(
      Communicator communicator, int answers, boolean all, List<String> lines) {
    NavigableSet<Integer> late = new TreeSet<>();
    communicator.counts().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            kind -> {
              long most = kind.getValue().values().stream().mapToLong(n -> n).max().orElse(0);
              var behind =
                  kind.getValue().entrySet().stream()
                      .filter(e -> e.getValue() < most)
                      .map(Map.Entry::getKey)
                      .collect(toCollection(TreeSet::new));
              if (behind.isEmpty()) {
                return;
              }
              boolean few = 4 * behind.size() <= kind.getValue().size();
              lines.add(
                  "RAS: %s%s: %d of %d ranks have launched fewer than %d, in %d answers: %s"
                      .formatted(
                          kind.getKey(),
                          inside(communicator, all),
                          behind.size(),
                          kind.getValue().size(),
                          most,
                          answers,
                          StallAnalysis.ranks(behind)));
              if (few && answers > 1) {
                late.addAll(behind);
              }
            });
    return late;
  }
}
