package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.api.SparePolicy;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.SpareWish;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.kubeflow.v1.pytorchjobspec.PytorchReplicaSpecs;

/** Reads how many warm spares a job requests, and from which template they are made. */
final class SpareWishReader {
  private SpareWishReader() {}

  /** What is wrong with the annotation, as the rest of a sentence; empty where it can be used. */
  static String problem(String value) {
    return count(value).isPresent() ? "" : "is no number from 0 to " + SparePolicy.MOST;
  }

  private static Optional<Integer> count(@Nullable String value) {
    // One digit: "01", "+1" and digits of other scripts are mistakes.
    return value != null
            && value.length() == 1
            && value.charAt(0) >= '0'
            && value.charAt(0) <= '0' + SparePolicy.MOST
        ? Optional.of(value.charAt(0) - '0')
        : Optional.empty();
  }

  /** A spare stands for the replica type with the most pods: one of them is lost most likely. */
  static SpareWish read(
      Map<String, String> annotations,
      Map<String, PytorchReplicaSpecs> specs,
      List<Replica> replicas) {
    int count = count(annotations.get(Annotations.SPARES)).orElse(0);
    Optional<Replica> replica =
        replicas.stream()
            .filter(r -> r.count() > 0)
            .max(
                Comparator.comparingInt(Replica::count)
                    .thenComparingLong(Replica::gpus)
                    .thenComparing(Replica::type));
    if (count == 0 || replica.isEmpty()) {
      return SpareWish.NONE;
    }
    String type = replica.get().type();
    PytorchReplicaSpecs spec = specs.get(type);
    return spec == null || spec.getTemplate() == null
        ? SpareWish.NONE
        : new SpareWish(count, type, SpareTemplate.fingerprint(spec.getTemplate().getSpec()));
  }
}
