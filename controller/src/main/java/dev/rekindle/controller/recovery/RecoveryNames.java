package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Names of recoveries, {@code <job>-r<n>}. An attempt id is made from the name and pods are
 * distinguished by it, so a name is never used twice for a job, not even when somebody deleted the
 * recoveries that had it.
 */
final class RecoveryNames {
  private static final String MARK = "-r";

  /** A number as it is written in a name. More digits leave no room to count on. */
  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");

  /**
   * The largest number that is believed of an annotation. Tenants write annotations of pods and
   * jobs, so that a name counted on from them must leave room for all that follow.
   */
  private static final int MOST_ANNOTATED = 999_999;

  private RecoveryNames() {}

  /**
   * A name that neither a recovery had nor anything that recoveries left on the job or its pods.
   */
  static String next(JobView job, List<PodView> pods, List<RecoveryView> recoveries) {
    String prefix = job.key().name() + MARK;
    Stream<String> recovered = recoveries.stream().map(RecoveryView::name);
    Stream<String> attempts =
        Stream.concat(Stream.of(job.attempt()), pods.stream().map(PodView::attempt))
            .map(RecoveryNames::ofAttempt);
    IntStream annotated =
        Stream.concat(attempts, Stream.of(job.suspendedBy()))
            .mapToInt(name -> ordinal(prefix, name))
            .filter(number -> number <= MOST_ANNOTATED);
    int last =
        IntStream.concat(recovered.mapToInt(name -> ordinal(prefix, name)), annotated)
            .max()
            .orElse(0);
    return prefix + (last + 1);
  }

  /** The name in an attempt id, {@code <recovery>-<n>}. */
  private static String ofAttempt(String attempt) {
    int at = attempt.lastIndexOf('-');
    return at < 0 ? "" : attempt.substring(0, at);
  }

  /** The number in the name of a recovery of the job; 0 where Rekindle has not given that name. */
  static int ordinal(JobView job, String name) {
    return ordinal(job.key().name() + MARK, name);
  }

  private static int ordinal(String prefix, String name) {
    if (!name.startsWith(prefix)) {
      return 0;
    }
    String number = name.substring(prefix.length());
    return NUMBER.matcher(number).matches() ? Integer.parseInt(number) : 0;
  }
}
