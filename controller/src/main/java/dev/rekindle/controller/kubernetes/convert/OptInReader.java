package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.detect.ShortDuration;
import dev.rekindle.detect.checkpoint.Formats;
import dev.rekindle.detect.checkpoint.s3.Endpoint;
import dev.rekindle.detect.checkpoint.s3.S3Url;
import dev.rekindle.detect.pod.OptInMode;
import dev.rekindle.detect.progress.StepPattern;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * What the owner of a job requests by annotation. One annotation that makes no sense makes the job
 * {@link OptIn.Unusable}: acting on half of what was meant is worse than not acting, and the reason
 * says which annotation to repair.
 */
final class OptInReader {
  private static final int MAX_PATH = 1024;
  private static final int MAX_QUOTED = 80;
  private static final Duration SHORTEST_STALL = Duration.ofSeconds(1);
  private static final Duration LONGEST_STALL = Duration.ofDays(7);
  private static final Pattern OBJECT_NAME =
      Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

  private OptInReader() {}

  static OptIn read(Map<String, String> labels, Map<String, String> annotations) {
    return switch (OptInMode.of(labels, annotations)) {
      case NONE -> new OptIn.No();
      case UNUSABLE ->
          new OptIn.Unusable(
              problem(
                  Annotations.RECOVER,
                  annotations.getOrDefault(Annotations.RECOVER, ""),
                  "is none of true, observe, approve, false"));
      case OBSERVE -> usable(annotations, Mode.OBSERVE);
      case APPROVE -> usable(annotations, Mode.APPROVE);
      case AUTO -> usable(annotations, Mode.AUTO);
    };
  }

  private static OptIn usable(Map<String, String> annotations, Mode mode) {
    return firstProblem(annotations)
        .<OptIn>map(OptIn.Unusable::new)
        .orElseGet(() -> new OptIn.Yes(mode));
  }

  private static Optional<String> firstProblem(Map<String, String> annotations) {
    return check(
            annotations,
            Annotations.POLICY,
            v -> OBJECT_NAME.matcher(v).matches() ? "" : "is not the name of an object")
        .or(() -> check(annotations, Annotations.CHECKPOINT, OptInReader::placeProblem))
        .or(() -> storeProblem(annotations))
        .or(
            () ->
                check(
                    annotations,
                    Annotations.CHECKPOINT_FORMAT,
                    v -> Formats.isKnown(v) ? "" : "is none of " + Formats.words()))
        .or(
            () ->
                check(
                    annotations,
                    Annotations.CHECKPOINT_SHARED,
                    v -> v.equals("true") || v.equals("false") ? "" : "is neither true nor false"))
        .or(
            () ->
                check(
                    annotations,
                    Annotations.CHECKPOINT_TRACKER,
                    v ->
                        v.equals("keep") || v.equals("rewrite")
                            ? ""
                            : "is neither keep nor rewrite"))
        .or(
            () ->
                check(
                    annotations,
                    Annotations.RESUME,
                    v -> v.equals("env") || v.equals("none") ? "" : "is neither env nor none"))
        .or(
            () ->
                check(
                    annotations,
                    Annotations.RESTART,
                    v -> RestartMode.of(v).isPresent() ? "" : "is none of auto, rebuild, inPlace"))
        .or(
            () ->
                check(
                    annotations,
                    Annotations.REQUIRE_RDMA,
                    v -> v.equals("true") || v.equals("false") ? "" : "is neither true nor false"))
        .or(() -> check(annotations, Annotations.SPARES, SpareWishReader::problem))
        .or(() -> check(annotations, Annotations.STALL_TIMEOUT, OptInReader::stallProblem))
        .or(() -> check(annotations, Annotations.STEP_PATTERN, StepPattern::problemOf));
  }

  private static Optional<String> check(
      Map<String, String> annotations, String key, Function<String, String> problemOf) {
    String value = annotations.get(key);
    if (value == null) {
      return Optional.empty();
    }
    String problem = problemOf.apply(value);
    return problem.isEmpty() ? Optional.empty() : Optional.of(problem(key, value, problem));
  }

  private static Optional<String> storeProblem(Map<String, String> annotations) {
    return check(annotations, Annotations.CHECKPOINT_REGION, OptInReader::regionProblem)
        .or(
            () ->
                check(
                    annotations,
                    Annotations.CHECKPOINT_ENDPOINT,
                    v -> clause(() -> Endpoint.parse(v, Endpoint.DEFAULT_REGION, "bucket"))))
        .or(() -> check(annotations, Annotations.CHECKPOINT_SECRET, StoreSecret::problemOf))
        .or(
            () ->
                check(
                    annotations,
                    Annotations.CHECKPOINT_UNREACHABLE,
                    v ->
                        v.equals("hold") || v.equals("script")
                            ? ""
                            : "is neither hold nor script"));
  }

  private static String regionProblem(String value) {
    return Endpoint.isRegion(value) ? "" : "is not the name of a region";
  }

  private static String placeProblem(String value) {
    return S3Url.isOne(value) ? clause(() -> S3Url.parse(value)) : directoryProblem(value);
  }

  /** What a reader says against its input; empty where it takes it. */
  private static String clause(Supplier<?> reader) {
    try {
      var _ = reader.get();
      return "";
    } catch (IllegalArgumentException refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  /** The directory without a slash at its end. */
  static String directory(String value) {
    return value.length() > 1 && value.endsWith("/")
        ? value.substring(0, value.length() - 1)
        : value;
  }

  /** The duration, if the value names one. */
  static Optional<Duration> stallTimeout(String value) {
    try {
      return Optional.of(ShortDuration.parse(value));
    } catch (IllegalArgumentException notADuration) {
      return Optional.empty();
    }
  }

  private static String directoryProblem(String value) {
    String path = directory(value);
    if (!path.startsWith("/") || path.length() < 2) {
      return "is not an absolute directory below /";
    }
    if (path.length() > MAX_PATH) {
      return "is longer than " + MAX_PATH + " characters";
    }
    if (path.chars().anyMatch(Character::isISOControl)) {
      return "contains control characters";
    }
    for (String segment : path.substring(1).split("/", -1)) {
      if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
        return "contains an empty, . or .. segment";
      }
    }
    return "";
  }

  private static String stallProblem(String value) {
    return stallTimeout(value)
        .map(
            timeout ->
                timeout.compareTo(SHORTEST_STALL) >= 0 && timeout.compareTo(LONGEST_STALL) <= 0
                    ? ""
                    : "is not between 1s and 168h")
        .orElse("is no duration such as 90s, 10m or 1h30m");
  }

  private static String problem(String key, String value, String problem) {
    String bounded = value.length() > MAX_QUOTED ? value.substring(0, MAX_QUOTED) + "…" : value;
    String printable =
        bounded
            .codePoints()
            .map(c -> Character.isISOControl(c) ? '?' : c)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
    return "annotation " + key + "=\"" + printable + "\" " + problem;
  }
}
