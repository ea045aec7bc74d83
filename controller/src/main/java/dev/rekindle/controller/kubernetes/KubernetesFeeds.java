package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartReport;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.cache.ViewFeed;
import dev.rekindle.controller.kubernetes.convert.JobReader;
import dev.rekindle.controller.kubernetes.convert.KueueReader;
import dev.rekindle.controller.kubernetes.convert.NodeReader;
import dev.rekindle.controller.kubernetes.convert.PodReader;
import dev.rekindle.controller.kubernetes.convert.SpareReader;
import dev.rekindle.controller.kubernetes.convert.SpiderpoolReader;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.controller.runtime.MachineFailure;
import dev.rekindle.detect.node.DraReader;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.kubeflow.v1.PyTorchJob;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns objects of fabric8 into flat views as they arrive. One that cannot be converted is logged
 * and counts as absent; it never disturbs the others.
 */
final class KubernetesFeeds {
  private static final Logger LOG = LoggerFactory.getLogger(KubernetesFeeds.class);

  /** The policy that is asked about nodes. */
  private static final String NODES = "default";

  private final FlatState state;
  private final KeptConditions conditions;
  private final Changes changes;

  /** The generation of each policy that was last passed on. */
  private final Map<String, Long> generations = new ConcurrentHashMap<>();

  KubernetesFeeds(FlatState state, KeptConditions conditions, Changes changes) {
    this.state = state;
    this.conditions = conditions;
    this.changes = changes;
  }

  Feed<PyTorchJob> jobs() {
    return feed(state.jobFeed(), job -> Optional.of(JobReader.read(job)));
  }

  Feed<Pod> pods() {
    return feed(state.podFeed(), PodReader::read);
  }

  Feed<Pod> spares() {
    return feed(state.spareFeed(), SpareReader::read);
  }

  Feed<Node> nodes() {
    return feed(state.nodeFeed(), node -> Optional.of(NodeReader.read(node, conditions)));
  }

  Feed<NodeFault> faults() {
    return feed(state.faultFeed(), Views::fault);
  }

  Feed<GenericKubernetesResource> slices() {
    return feed(state.sliceFeed(), slice -> DraReader.slice(slice.get("spec")));
  }

  Feed<GenericKubernetesResource> taintRules() {
    return feed(state.taintRuleFeed(), rule -> DraReader.rule(rule.get("spec")));
  }

  Feed<GenericKubernetesResource> workloads() {
    return feed(state.workloadFeed(), KueueReader::workload);
  }

  Feed<GenericKubernetesResource> queues() {
    return feed(state.queueFeed(), KueueReader::queue);
  }

  Feed<GenericKubernetesResource> pools() {
    return feed(state.networkTables().poolFeed(), SpiderpoolReader::pool);
  }

  Feed<GenericKubernetesResource> multusConfigs() {
    return feed(state.networkTables().configFeed(), SpiderpoolReader::config);
  }

  Feed<GenericKubernetesResource> endpoints() {
    return feed(state.networkTables().endpointFeed(), SpiderpoolReader::endpoint);
  }

  Feed<GenericKubernetesResource> namespaces() {
    return feed(state.networkTables().namespaceFeed(), SpiderpoolReader::namespace);
  }

  Feed<GenericKubernetesResource> webhooks() {
    return feed(state.networkTables().webhookFeed(), SpiderpoolReader::webhook);
  }

  Feed<ConfigMap> ascend() {
    return feed(state.ascendFeed(), Views::ascend);
  }

  Feed<RankReport> ranks() {
    return feed(state.rankFeed(), Views::rank);
  }

  Feed<Recovery> recoveries() {
    return feed(state.recoveryFeed(), Views::recovery);
  }

  Feed<RestartOrder> orders() {
    return feed(state.orderFeed(), Views::order);
  }

  Feed<RestartReport> restarts() {
    return feed(state.restartFeed(), Views::restart);
  }

  Feed<RecoveryPolicy> policies() {
    Feed<RecoveryPolicy> specs = feed(state.policyFeed(), Views::policy);
    Feed<RecoveryPolicy> scores = feed(state.scorecardFeed(), p -> Optional.of(Views.scorecard(p)));
    return new Feed<>() {
      @Override
      public void present(RecoveryPolicy policy) {
        specs.present(policy);
        scores.present(policy);
        decideWhatIsKept(policy);
        passOn(policy.getMetadata().getName(), policy.getMetadata().getGeneration());
      }

      @Override
      public void gone(RecoveryPolicy policy) {
        specs.gone(policy);
        scores.gone(policy);
        decideWhatIsKept(policy);
        passOn(policy.getMetadata().getName(), null);
      }
    };
  }

  /** A write of the status alone changes nothing that is judged. */
  private void passOn(String name, @Nullable Long generation) {
    Long before = generation == null ? generations.remove(name) : generations.put(name, generation);
    if (Objects.equals(before, generation)) {
      return;
    }
    changes.policy(name);
    if (NODES.equals(name)) {
      state.policies().forEach(changes::policy);
    }
  }

  private void decideWhatIsKept(RecoveryPolicy changed) {
    if (NODES.equals(changed.getMetadata().getName())) {
      Optional<Policy> now = state.policy(NODES);
      if (now.isEmpty()) {
        LOG.atError()
            .addKeyValue(LogKey.POLICY.key(), NODES)
            .log("No usable RecoveryPolicy; observing only");
      }
      conditions.become(now.orElse(Policy.DEFAULT));
    }
  }

  private static <T extends HasMetadata, V> Feed<T> feed(
      ViewFeed<V> views, Function<T, Optional<V>> read) {
    return new Feed<>() {
      @Override
      public void present(T object) {
        String key = key(object.getMetadata());
        String version = object.getMetadata().getResourceVersion();
        convert(object, read)
            .ifPresentOrElse(
                view -> views.present(key, version, view), () -> views.gone(key, version));
      }

      @Override
      public void gone(T object) {
        views.gone(key(object.getMetadata()), object.getMetadata().getResourceVersion());
      }
    };
  }

  private static <T extends HasMetadata, V> Optional<V> convert(
      T object, Function<T, Optional<V>> read) {
    try {
      return read.apply(object);
    } catch (RuntimeException | Error unreadable) {
      // Thrown out of here, it would fail the list of its kind each time, with all other objects.
      MachineFailure.raise(unreadable);
      LOG.atError()
          .addKeyValue(LogKey.KIND.key(), object.getKind())
          .addKeyValue(LogKey.OBJECT.key(), key(object.getMetadata()))
          .addKeyValue(LogKey.ERROR.key(), unreadable.toString())
          .log("Cannot parse an object; treated as absent");
      return Optional.empty();
    }
  }

  private static String key(ObjectMeta meta) {
    String namespace = Objects.requireNonNullElse(meta.getNamespace(), "");
    return namespace.isEmpty() ? meta.getName() : namespace + "/" + meta.getName();
  }
}
