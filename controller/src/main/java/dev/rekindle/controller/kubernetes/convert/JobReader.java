package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.JobView.ResumeInjection;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.controller.model.TrainingContainer;
import dev.rekindle.detect.ApiTime;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.kubeflow.v1.PyTorchJob;
import org.kubeflow.v1.PyTorchJobSpec;
import org.kubeflow.v1.pytorchjobspec.ElasticPolicy;
import org.kubeflow.v1.pytorchjobspec.PytorchReplicaSpecs;
import org.kubeflow.v1.pytorchjobspec.RunPolicy;
import org.kubeflow.v1.pytorchjobstatus.Conditions;

/**
 * Reads a PyTorchJob as the training operator v1.9 understands it. The operator applies its
 * defaults in memory and never writes them back ({@code pytorch_defaults.go}), so they are applied
 * here again: one replica, restart policy OnFailure. Never throws, whatever the object holds.
 */
public final class JobReader {
  private static final String OPERATOR = "kubeflow.org/training-operator";
  private static final List<String> TYPES = List.of("Master", "Worker");

  /** Nodes that a plan names: as many as a large gang has pods. */
  private static final int MOST_PLANNED = 4_096;

  private JobReader() {}

  /** The flat view of the job, by itself: what Kueue's Workload says of it is not in there. */
  public static JobView read(PyTorchJob job) {
    ObjectMeta meta = job.getMetadata();
    Map<String, String> annotations = orEmpty(meta.getAnnotations());
    PyTorchJobSpec spec = Objects.requireNonNullElseGet(job.getSpec(), PyTorchJobSpec::new);
    RunPolicy run = Objects.requireNonNullElseGet(spec.getRunPolicy(), RunPolicy::new);
    Map<String, PytorchReplicaSpecs> specs = replicaSpecs(spec);
    Optional<Conditions> succeeded = condition(job, "Succeeded");
    Optional<Conditions> failed = condition(job, "Failed");
    Optional<Conditions> end = succeeded.or(() -> failed);
    List<Replica> replicas = replicas(specs, AffinityPatch.remembered(annotations));
    String queue = orEmpty(meta.getLabels()).getOrDefault(Labels.KUEUE_QUEUE, "");
    return new JobView(
        new JobKey(orEmpty(meta.getNamespace()), orEmpty(meta.getName())),
        orEmpty(meta.getUid()),
        OptInReader.read(orEmpty(meta.getLabels()), annotations),
        Texts.cut(annotations.getOrDefault(Annotations.POLICY, "default")),
        OptInReader.directory(annotations.getOrDefault(Annotations.CHECKPOINT, "")),
        !"none".equals(annotations.get(Annotations.RESUME)),
        stallTimeout(annotations),
        replicas,
        Boolean.TRUE.equals(run.getSuspend()),
        CopiedAnnotations.areOf(orEmpty(meta.getUid()), annotations)
            ? Texts.cut(annotations.get(Annotations.SUSPENDED_BY))
            : "",
        condition(job, "Suspended").isPresent(),
        attempt(orEmpty(meta.getUid()), specs),
        succeeded.isPresent()
            ? Finish.SUCCEEDED
            : failed.isPresent() ? Finish.FAILED : Finish.NOT_FINISHED,
        end.map(c -> endedAt(job, c)).orElse(null),
        end.map(c -> orEmpty(c.getMessage())).orElse(""),
        notOurs(meta, spec, run),
        replicas.stream().mapToLong(r -> r.count() * r.gpus()).sum(),
        RestartMode.of(annotations.getOrDefault(Annotations.RESTART, "")).orElse(null),
        injection(specs),
        specs.values().stream()
            .anyMatch(s -> !annotation(s.getTemplate(), Annotations.RESUME_FROM).isEmpty()),
        run.getBackoffLimit(),
        CopiedAnnotations.names(
            orEmpty(meta.getUid()),
            annotations,
            specs.values().stream().map(s -> annotations(s.getTemplate())).toList()),
        CopiedAnnotations.areOf(orEmpty(meta.getUid()), annotations)
            ? AffinityPatch.remembered(annotations).plannedHostnames().stream()
                .limit(MOST_PLANNED)
                .map(Texts::cut)
                .toList()
            : List.of(),
        queue.isEmpty() ? new GangScheduling.None() : new GangScheduling.Kueue(queue, null),
        false,
        "rewrite".equals(annotations.get(Annotations.CHECKPOINT_TRACKER)),
        "true".equals(annotations.get(Annotations.REQUIRE_RDMA)),
        SpareWishReader.read(annotations, specs, replicas),
        "script".equals(annotations.get(Annotations.CHECKPOINT_UNREACHABLE)),
        specs.values().stream().anyMatch(JobReader::isRemovedAtOnce));
  }

  private static boolean isRemovedAtOnce(PytorchReplicaSpecs replica) {
    PodTemplateSpec template = replica.getTemplate();
    return template != null
        && template.getSpec() != null
        && Long.valueOf(0).equals(template.getSpec().getTerminationGracePeriodSeconds());
  }

  private static @Nullable Duration stallTimeout(Map<String, String> annotations) {
    return OptInReader.stallTimeout(annotations.getOrDefault(Annotations.STALL_TIMEOUT, ""))
        .orElse(null);
  }

  /**
   * Replica types under the operator's spelling; it corrects the case of the keys in memory. Others
   * than Master and Worker it does not know.
   */
  private static Map<String, PytorchReplicaSpecs> replicaSpecs(PyTorchJobSpec spec) {
    Map<String, PytorchReplicaSpecs> found = new java.util.LinkedHashMap<>();
    Map<String, PytorchReplicaSpecs> given =
        Objects.requireNonNullElse(spec.getPytorchReplicaSpecs(), Map.of());
    for (String type : TYPES) {
      given.forEach(
          (key, value) -> {
            if (key.equalsIgnoreCase(type) && value != null) {
              found.put(type, value);
            }
          });
    }
    return found;
  }

  private static List<Replica> replicas(
      Map<String, PytorchReplicaSpecs> specs, AffinityPatch ours) {
    List<Replica> replicas = new ArrayList<>();
    specs.forEach(
        (type, spec) ->
            replicas.add(
                new Replica(
                    type,
                    count(spec),
                    restart(orEmpty(spec.getRestartPolicy())),
                    gpus(spec),
                    NeedsReader.of(spec.getTemplate(), ours))));
    return replicas;
  }

  private static int count(PytorchReplicaSpecs spec) {
    return spec.getReplicas() == null ? 1 : Math.max(0, spec.getReplicas());
  }

  private static RestartPolicy restart(String policy) {
    return switch (policy) {
      case "Always" -> RestartPolicy.ALWAYS;
      case "Never" -> RestartPolicy.NEVER;
      case "ExitCode" -> RestartPolicy.EXIT_CODE;
      default -> RestartPolicy.ON_FAILURE;
    };
  }

  private static String attempt(String uid, Map<String, PytorchReplicaSpecs> specs) {
    Set<String> attempts = new HashSet<>();
    specs
        .values()
        .forEach(
            spec ->
                attempts.add(
                    CopiedAnnotations.areOf(uid, annotations(spec.getTemplate()))
                        ? Texts.cut(annotation(spec.getTemplate(), Annotations.ATTEMPT))
                        : ""));
    return attempts.size() == 1 ? attempts.iterator().next() : "";
  }

  private static String annotation(@Nullable PodTemplateSpec template, String key) {
    return annotations(template).getOrDefault(key, "");
  }

  private static Map<String, String> annotations(@Nullable PodTemplateSpec template) {
    return template == null || template.getMetadata() == null
        ? Map.of()
        : orEmpty(template.getMetadata().getAnnotations());
  }

  /** By the template that takes another checkpoint the least. */
  private static ResumeInjection injection(Map<String, PytorchReplicaSpecs> specs) {
    Set<ResumeInjection> ways = EnumSet.noneOf(ResumeInjection.class);
    specs.values().forEach(spec -> ways.add(injection(spec.getTemplate())));
    return ways.size() == 1 ? ways.iterator().next() : ResumeInjection.BY_VALUE;
  }

  private static ResumeInjection injection(@Nullable PodTemplateSpec template) {
    if (template == null
        || template.getSpec() == null
        || template.getSpec().getContainers() == null) {
      return ResumeInjection.NOTHING;
    }
    return template.getSpec().getContainers().stream()
        .filter(c -> TrainingContainer.NAME.equals(c.getName()) && c.getEnv() != null)
        .flatMap(c -> c.getEnv().stream())
        .filter(e -> TrainingContainer.ENV_RESUME_FROM.equals(e.getName()))
        .map(
            e ->
                e.getValueFrom() != null
                        && e.getValueFrom().getFieldRef() != null
                        && Annotations.fieldOf(Annotations.RESUME_FROM)
                            .equals(e.getValueFrom().getFieldRef().getFieldPath())
                    ? ResumeInjection.BY_ANNOTATION
                    : ResumeInjection.BY_VALUE)
        .findFirst()
        .orElse(ResumeInjection.NOTHING);
  }

  private static Optional<Conditions> condition(PyTorchJob job, String type) {
    if (job.getStatus() == null || job.getStatus().getConditions() == null) {
      return Optional.empty();
    }
    return job.getStatus().getConditions().stream()
        .filter(c -> c != null && type.equals(c.getType()) && "True".equals(c.getStatus()))
        .findFirst();
  }

  private static @Nullable Instant endedAt(PyTorchJob job, Conditions end) {
    Instant changed = ApiTime.parse(end.getLastTransitionTime());
    return changed == null ? ApiTime.parse(job.getStatus().getCompletionTime()) : changed;
  }

  /**
   * Whether others than its user change how many pods it has: then no gang is whole for sure. An
   * elasticPolicy without a range and without metrics only configures torchrun.
   */
  private static String elastic(PyTorchJobSpec spec) {
    ElasticPolicy elastic = spec.getElasticPolicy();
    if (elastic == null) {
      return "";
    }
    if (Objects.requireNonNullElse(elastic.getAdditionalProperties(), Map.of()).get("metrics")
            instanceof List<?> metrics
        && !metrics.isEmpty()) {
      return "spec.elasticPolicy.metrics lets an autoscaler change the size of the gang.";
    }
    Integer least = elastic.getMinReplicas();
    Integer most = elastic.getMaxReplicas();
    return least != null && most != null && least < most
        ? "spec.elasticPolicy lets torchrun continue with %d to %d replicas.".formatted(least, most)
        : "";
  }

  private static String notOurs(ObjectMeta meta, PyTorchJobSpec spec, RunPolicy run) {
    String elastic = elastic(spec);
    if (!elastic.isEmpty()) {
      return elastic;
    }
    String manager = Texts.cut(run.getManagedBy());
    if (!manager.isEmpty() && !manager.equals(OPERATOR)) {
      return "spec.runPolicy.managedBy hands the job to " + manager + ".";
    }
    boolean ownedByKueue =
        Objects.requireNonNullElse(
                meta.getOwnerReferences(),
                List.<io.fabric8.kubernetes.api.model.OwnerReference>of())
            .stream()
            .anyMatch(owner -> orEmpty(owner.getApiVersion()).startsWith("kueue.x-k8s.io/"));
    if (ownedByKueue) {
      return "Kueue owns the job.";
    }
    String resumed = orEmpty(meta.getAnnotations()).getOrDefault(Annotations.HYPERPOD_RESUME, "");
    return resumed.toLowerCase(Locale.ROOT).equals("true")
        ? "HyperPod restarts the job (" + Annotations.HYPERPOD_RESUME + ")."
        : "";
  }

  private static long gpus(PytorchReplicaSpecs spec) {
    return spec.getTemplate() == null ? 0 : Gpus.of(spec.getTemplate().getSpec());
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private static <V> Map<String, V> orEmpty(@Nullable Map<String, V> map) {
    return map == null ? Map.of() : map;
  }
}
