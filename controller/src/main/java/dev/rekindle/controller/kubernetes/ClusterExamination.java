package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.doctor.ExaminedCluster;
import dev.rekindle.controller.doctor.ExaminedCluster.Leader;
import dev.rekindle.controller.doctor.ExaminedCluster.Operator;
import dev.rekindle.controller.doctor.ExaminedCluster.Webhook;
import dev.rekindle.controller.doctor.ExaminedJob;
import dev.rekindle.controller.kubernetes.convert.JobReader;
import dev.rekindle.controller.kubernetes.convert.NodeReader;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.policy.RuledJob;
import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.kubeflow.v1.PyTorchJob;

/** Reads a cluster once, with the rights of a user; what is refused is left out. */
public final class ClusterExamination {
  /** Each costs a handful of requests. */
  private static final int MOST_JOBS = 200;

  private static final String OPERATOR = "training-operator";
  private static final String QPS = "--kube-api-qps";

  /** What recoveries need most: verb, group, resource. The chart's roles have the rest. */
  private static final List<Right> RIGHTS =
      List.of(
          new Right("list", "kubeflow.org", "pytorchjobs"),
          new Right("patch", "kubeflow.org", "pytorchjobs"),
          new Right("list", "", "pods"),
          new Right("delete", "", "pods"),
          new Right("list", "", "nodes"),
          new Right("patch", "", "nodes"),
          new Right("list", "rekindle.dev", "nodefaults"),
          new Right("list", "rekindle.dev", "rankreports"),
          new Right("create", "rekindle.dev", "recoveries"),
          new Right("create", "rekindle.dev", "restartorders"));

  private final KubernetesClient client;
  private final Instant now;

  /** A verb on a kind. */
  private record Right(String verb, String group, String resource) {
    @Override
    public String toString() {
      return "%s %s%s".formatted(verb, resource, group.isEmpty() ? "" : "." + group);
    }
  }

  /** Reads with that client, at that time. */
  public ClusterExamination(KubernetesClient client, Instant now) {
    this.client = client;
    this.now = now;
  }

  /**
   * What the API server shows.
   *
   * @param namespace whose jobs are examined; empty for those of all namespaces
   * @throws KubernetesClientException where jobs cannot be read
   */
  public ExaminedCluster read(String namespace) {
    List<PyTorchJob> jobs =
        ObjectWatches.in(client.resources(PyTorchJob.class), namespace).list().getItems().stream()
            .filter(ClusterExamination::optedIn)
            .toList();
    var examination = new JobExamination(client, now);
    List<ExaminedJob> examined = jobs.stream().limit(MOST_JOBS).map(examination::examined).toList();
    var policies = examination.policies();
    return new ExaminedCluster(
        CrdCheck.ask(client),
        tried(this::leader),
        policies.isPresent(),
        policies.flatMap(all -> all.getOrDefault(RuledJob.DEFAULT, Optional.empty())),
        tried(this::operators),
        tried(this::webhooks),
        tried(() -> client.nodes().list().getItems().stream().map(NodeReader::read).toList()),
        tried(() -> version(client.getApiGroup("kueue.x-k8s.io"))).orElse(""),
        new SpiderpoolExamination(client).of(namespace.isEmpty() ? "default" : namespace),
        examined,
        jobs.size() - examined.size());
  }

  private static boolean optedIn(PyTorchJob object) {
    var job = JobReader.read(object);
    return job.finish() == Finish.NOT_FINISHED && !(job.optIn() instanceof OptIn.No);
  }

  private static String version(@Nullable APIGroup group) {
    return group == null || group.getPreferredVersion() == null
        ? ""
        : Objects.requireNonNullElse(group.getPreferredVersion().getVersion(), "");
  }

  private Leader leader() {
    Optional<Lease> lease =
        client.leases().inAnyNamespace().list().getItems().stream()
            .filter(l -> l.getMetadata().getName().equals(LeaderLoop.LEASE) && l.getSpec() != null)
            .findFirst();
    String holder =
        lease.map(l -> Objects.requireNonNullElse(l.getSpec().getHolderIdentity(), "")).orElse("");
    if (lease.isEmpty() || holder.isEmpty()) {
      return new Leader("", false, "", Optional.empty());
    }
    String namespace = lease.get().getMetadata().getNamespace();
    var renewed = lease.get().getSpec().getRenewTime();
    String account =
        tried(() -> client.pods().inNamespace(namespace).withName(holder).get())
            .map(pod -> pod.getSpec().getServiceAccountName())
            .orElse("");
    return new Leader(
        namespace + "/" + holder,
        GangProgress.fresh(renewed == null ? null : renewed.toInstant(), now),
        account,
        account.isEmpty()
            ? Optional.empty()
            : tried(() -> denied("system:serviceaccount:%s:%s".formatted(namespace, account))));
  }

  /** A review is answered and not stored. */
  private List<String> denied(String user) {
    return RIGHTS.stream().filter(right -> !allowed(user, right)).map(Right::toString).toList();
  }

  private boolean allowed(String user, Right right) {
    var review =
        client
            .authorization()
            .v1()
            .subjectAccessReview()
            .create(
                new SubjectAccessReviewBuilder()
                    .withNewSpec()
                    .withUser(user)
                    .withNewResourceAttributes()
                    .withVerb(right.verb())
                    .withGroup(right.group())
                    .withResource(right.resource())
                    .endResourceAttributes()
                    .endSpec()
                    .build());
    return review.getStatus() != null && Boolean.TRUE.equals(review.getStatus().getAllowed());
  }

  private List<Operator> operators() {
    return client.apps().deployments().inAnyNamespace().list().getItems().stream()
        .flatMap(deployment -> operator(deployment).stream())
        .toList();
  }

  private static Optional<Operator> operator(Deployment deployment) {
    if (deployment.getSpec() == null || deployment.getSpec().getTemplate().getSpec() == null) {
      return Optional.empty();
    }
    return deployment.getSpec().getTemplate().getSpec().getContainers().stream()
        .filter(c -> image(c.getImage()).matches(OPERATOR + "(:.*)?"))
        .findFirst()
        .map(
            container -> {
              var status = deployment.getStatus();
              Integer ready = status == null ? null : status.getReadyReplicas();
              String image = image(container.getImage());
              return new Operator(
                  deployment.getMetadata().getNamespace()
                      + "/"
                      + deployment.getMetadata().getName(),
                  image.contains(":") ? image.substring(image.indexOf(':') + 1) : "",
                  qps(
                      Stream.of(container.getCommand(), container.getArgs())
                          .filter(Objects::nonNull)
                          .flatMap(Collection::stream)
                          .toList()),
                  ready == null ? 0 : ready);
            });
  }

  /** Name and tag, without registry and digest. */
  private static String image(@Nullable String image) {
    String name = image == null ? "" : image.replaceFirst("@.*", "");
    return name.substring(name.lastIndexOf('/') + 1);
  }

  private static String qps(List<String> arguments) {
    Iterator<String> all = arguments.iterator();
    while (all.hasNext()) {
      String argument = all.next().replaceFirst("^--?", "--");
      if (argument.startsWith(QPS + "=")) {
        return argument.substring(QPS.length() + 1);
      }
      if (argument.equals(QPS) && all.hasNext()) {
        return all.next();
      }
    }
    return "";
  }

  private List<Webhook> webhooks() {
    List<Webhook> found = new ArrayList<>();
    var admission = client.admissionRegistration().v1();
    for (var configuration : admission.validatingWebhookConfigurations().list().getItems()) {
      configuration.getWebhooks().stream()
          .filter(w -> ofJobs(w.getRules()))
          .map(w -> webhook(w.getName(), w.getFailurePolicy(), w.getClientConfig()))
          .forEach(found::add);
    }
    for (var configuration : admission.mutatingWebhookConfigurations().list().getItems()) {
      configuration.getWebhooks().stream()
          .filter(w -> ofJobs(w.getRules()))
          .map(w -> webhook(w.getName(), w.getFailurePolicy(), w.getClientConfig()))
          .forEach(found::add);
    }
    return found;
  }

  private static boolean ofJobs(@Nullable List<RuleWithOperations> rules) {
    return rules != null
        && rules.stream()
            .anyMatch(r -> r.getResources() != null && r.getResources().contains("pytorchjobs"));
  }

  private Webhook webhook(String name, @Nullable String policy, WebhookClientConfig config) {
    var service = config.getService();
    return new Webhook(
        name,
        policy == null || policy.equals("Fail"),
        service == null
            ? Optional.empty()
            : tried(() -> ready(service.getNamespace(), service.getName())));
  }

  private int ready(String namespace, String service) {
    return (int)
        client
            .discovery()
            .v1()
            .endpointSlices()
            .inNamespace(namespace)
            .withLabel("kubernetes.io/service-name", service)
            .list()
            .getItems()
            .stream()
            .filter(slice -> slice.getEndpoints() != null)
            .flatMap(slice -> slice.getEndpoints().stream())
            .filter(
                e ->
                    e.getConditions() == null
                        || !Boolean.FALSE.equals(e.getConditions().getReady()))
            .count();
  }

  private static <T> Optional<T> tried(Supplier<@Nullable T> read) {
    try {
      return Optional.ofNullable(read.get());
    } catch (KubernetesClientException refused) {
      return Optional.empty();
    }
  }
}
