package dev.rekindle.detect.judge;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.detect.weigh.Thresholds;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The thresholds of a RecoveryPolicy in a file. No API server has validated it, so it is held to
 * the bounds of the schema here: the annotations that the schema is made of.
 */
final class PolicyFile {
  private static final long LONGEST = 1 << 20;

  private PolicyFile() {}

  /**
   * Reads the file.
   *
   * @throws IOException when it cannot be read
   * @throws IllegalArgumentException when it is no RecoveryPolicy, or the API server would refuse
   *     it
   */
  static Thresholds thresholds(Path file) throws IOException {
    if (Files.size(file) > LONGEST) {
      throw new IllegalArgumentException(file + ": is longer than " + LONGEST + " bytes");
    }
    var text = Files.readString(file);
    var policy =
        read(file, () -> Serialization.unmarshal(text, JsonNode.class))
            .filter(p -> p.path("kind").asText().equals("RecoveryPolicy"))
            .filter(p -> p.path("spec").isObject())
            .orElseThrow(
                () -> new IllegalArgumentException(file + ": is not a RecoveryPolicy with a spec"));
    var spec = policy.path("spec");
    List<String> wrong = new ArrayList<>();
    check(spec, RecoveryPolicySpec.class, "spec", wrong);
    refuse(file, wrong);
    var thresholds =
        read(file, () -> Serialization.unmarshal(spec.toString(), RecoveryPolicySpec.class))
            .map(RecoveryPolicySpec::detection)
            .map(Thresholds::of)
            .orElse(Thresholds.DEFAULT);
    if (thresholds.sticky().compareTo(thresholds.window()) > 0) {
      refuse(file, List.of("spec.detection.weighing.stickySeconds exceeds windowSeconds"));
    }
    return thresholds;
  }

  private static <T> Optional<T> read(Path file, Supplier<@Nullable T> parser) {
    try {
      return Optional.ofNullable(parser.get());
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(file + ": is not YAML or JSON that can be read", e);
    }
  }

  private static void refuse(Path file, List<String> wrong) {
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException(file + ": " + String.join("; ", wrong));
    }
  }

  private static void check(JsonNode object, Class<?> type, String path, List<String> wrong) {
    var known = Arrays.asList(type.getRecordComponents());
    object
        .fieldNames()
        .forEachRemaining(
            name ->
                known.stream()
                    .filter(component -> component.getName().equals(name))
                    .findFirst()
                    .ifPresentOrElse(
                        component -> check(object.path(name), component, path + "." + name, wrong),
                        () -> wrong.add(path + "." + name + " is unknown")));
  }

  private static void check(
      JsonNode value, RecordComponent component, String path, List<String> wrong) {
    if (component.getType().isRecord()) {
      check(value, component.getType(), path, wrong);
      return;
    }
    var problem = problem(component, value);
    if (!problem.isEmpty()) {
      wrong.add(path + " " + problem);
    }
  }

  private static String problem(RecordComponent component, JsonNode value) {
    if (component.getType() != Integer.class || value.isNull()) {
      return "";
    }
    var accessor = component.getAccessor();
    var least = (long) Objects.requireNonNull(accessor.getAnnotation(Min.class)).value();
    var most = (long) Objects.requireNonNull(accessor.getAnnotation(Max.class)).value();
    return value.isIntegralNumber()
            && value.canConvertToLong()
            && value.asLong() >= least
            && value.asLong() <= most
        ? ""
        : "is %s, not a number from %d to %d".formatted(value, least, most);
  }
}
