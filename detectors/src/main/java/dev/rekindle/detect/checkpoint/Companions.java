package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.parts.OneSave;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Files of one step that are a checkpoint only together: {@code model_step_10.pt} and {@code
 * optim_step_10.pt}, {@code step_10_0.pt} and {@code step_10_1.pt}. One is no use without the
 * other, so a complete one is torn with it, and nothing can be said where the step before has it
 * and this one does not, or where they were written too far apart for one save.
 */
final class Companions {
  private static final Set<String> ROLES =
      Set.of(
          "model",
          "optim",
          "optimizer",
          "opt",
          "scheduler",
          "sched",
          "scaler",
          "rng",
          "random",
          "ema",
          "actor",
          "critic",
          "generator",
          "discriminator",
          "netg",
          "netd",
          "encoder",
          "decoder");

  private Companions() {}

  /** The same files, with what their companions say; order is kept. */
  static List<Found> of(List<Found> found, Collection<String> formats) {
    var steps = new TreeMap<Long, List<Found>>();
    for (var one : found) {
      if (formats.contains(one.format()) && one.step().isPresent()) {
        steps.computeIfAbsent(one.step().getAsLong(), _ -> new ArrayList<>()).add(one);
      }
    }
    var judged = new ArrayList<Found>();
    for (var one : found) {
      var together = steps.getOrDefault(one.step().orElse(-1), List.of());
      judged.add(together.contains(one) ? judge(one, together, steps) : one);
    }
    return judged;
  }

  private static Found judge(
      Found one, List<Found> together, NavigableMap<Long, List<Found>> steps) {
    if (!one.verdict().isValid()) {
      return one;
    }
    var own = parts(one);
    for (var other : together) {
      if (!other.verdict().isValid() && differInOne(own, parts(other))) {
        var word = other.verdict().kind().word().toLowerCase(Locale.ROOT);
        return with(
            one,
            new Verdict(
                other.verdict().kind(),
                other.verdict().level(),
                "it belongs with %s, which is %s".formatted(Names.printable(other.name()), word),
                0));
      }
    }
    return missing(one, together, steps)
        .or(() -> mixed(one, together, steps))
        .map(why -> with(one, why))
        .orElse(one);
  }

  /** One was written over, and its companion was not any more: they are of two saves. */
  private static Optional<Verdict> mixed(
      Found one, List<Found> together, NavigableMap<Long, List<Found>> steps) {
    var times = times(one, together);
    var usual =
        steps.headMap(one.step().orElse(-1), false).descendingMap().values().stream()
            .limit(OneSave.OTHERS)
            .flatMap(
                before ->
                    before.stream()
                        .filter(f -> shape(f).equals(shape(one)))
                        .findFirst()
                        .map(like -> OneSave.length(times(like, before).values()))
                        .stream())
            .toList();
    return OneSave.fault(times, usual);
  }

  /** When a file and those that belong with it were written, by their names. */
  private static Map<String, Instant> times(Found one, List<Found> together) {
    var times = new TreeMap<String, Instant>();
    times.put(one.name(), one.modified());
    together.stream()
        .filter(other -> differInOne(parts(one), parts(other)))
        .forEach(other -> times.put(other.name(), other.modified()));
    return times;
  }

  private static Optional<Verdict> missing(
      Found one, List<Found> together, NavigableMap<Long, List<Found>> steps) {
    var before = steps.lowerEntry(one.step().orElse(-1));
    if (before == null) {
      return Optional.empty();
    }
    var shapes = new HashMap<String, Found>();
    together.forEach(f -> shapes.put(shape(f), f));
    var likeIt = before.getValue().stream().filter(f -> shape(f).equals(shape(one))).findFirst();
    if (likeIt.isEmpty()) {
      return Optional.empty();
    }
    return before.getValue().stream()
        .filter(f -> differInOne(parts(likeIt.get()), parts(f)) && !shapes.containsKey(shape(f)))
        .findFirst()
        .map(
            f ->
                Verdict.unknown(
                    Level.L2,
                    "one that belongs with it is missing: step %d has %s"
                        .formatted(before.getKey(), Names.printable(f.name()))));
  }

  /** A name with its step left out. */
  private static String shape(Found one) {
    return String.join("_", parts(one));
  }

  private static List<String> parts(Found one) {
    var step = Long.toString(one.step().orElse(-1));
    var parts = new ArrayList<String>();
    for (var part : one.name().toLowerCase(Locale.ROOT).split("[^a-z0-9]+", -1)) {
      var number = part.replaceFirst("^[a-z]*0*(?=\\d)", "");
      parts.add(number.equals(step) ? part.replaceFirst("\\d+$", "") + "#" : part);
    }
    return parts;
  }

  private static boolean differInOne(List<String> one, List<String> other) {
    if (Math.abs(one.size() - other.size()) > 1) {
      return false;
    }
    if (one.size() != other.size()) {
      var longer = new ArrayList<>(one.size() > other.size() ? one : other);
      var shorter = one.size() > other.size() ? other : one;
      return longer.stream()
          .filter(ROLES::contains)
          .anyMatch(role -> without(longer, role, shorter));
    }
    var at = -1;
    for (int i = 0; i < one.size(); i++) {
      if (!one.get(i).equals(other.get(i))) {
        if (at >= 0) {
          return false;
        }
        at = i;
      }
    }
    return at >= 0 && areOther(one, other, at);
  }

  private static boolean without(List<String> longer, String role, List<String> shorter) {
    var rest = new ArrayList<>(longer);
    rest.remove(role);
    return rest.equals(shorter);
  }

  /** Two roles, or the numbers of two ranks; the number of an epoch is none. */
  private static boolean areOther(List<String> one, List<String> other, int at) {
    var areRoles = ROLES.contains(one.get(at)) && ROLES.contains(other.get(at));
    return areRoles
        || (one.get(at).matches("\\d{1,6}")
            && other.get(at).matches("\\d{1,6}")
            && at > 0
            && one.get(at - 1).endsWith("#"));
  }

  private static Found with(Found one, Verdict verdict) {
    return new Found(one.path(), one.format(), one.step(), one.bytes(), one.modified(), verdict);
  }
}
