package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What platforms ask of a chart: registries, labels, budgets, spreading, roles. */
class PlatformTest {
  private static final String DIGEST = "sha256:" + "0123456789abcdef".repeat(4);

  private static List<PodTemplateSpec> pods(Chart chart) {
    return List.of(
        chart.one(Deployment.class, "-controller").getSpec().getTemplate(),
        chart.one(DaemonSet.class, "-agent").getSpec().getTemplate(),
        chart.one(Deployment.class, "-console").getSpec().getTemplate());
  }

  @Test
  void shouldPullEachPodsImageByTheSecretsAndTheDigest() {
    var chart =
        Chart.render(
            """
            image: {repository: registry.example/rekindle, tag: "1.2", digest: "%s"}
            imagePullSecrets: [{name: one}, {name: two}]
            """
                .formatted(DIGEST));
    String image = "registry.example/rekindle@" + DIGEST;
    for (var pod : pods(chart)) {
      assertThat(pod.getSpec().getImagePullSecrets())
          .extracting(secret -> secret.getName())
          .containsExactly("one", "two");
      assertThat(pod.getSpec().getContainers()).allMatch(c -> c.getImage().equals(image));
    }
    assertThat(pods(chart).getFirst().getSpec().getContainers().getFirst().getEnv())
        .as("the image of inspectors, which the admission policy asks for as well")
        .anyMatch(
            e -> e.getName().equals("REKINDLE_INSPECTOR_IMAGE") && image.equals(e.getValue()));
    assertThat(chart.one("ValidatingAdmissionPolicy", "-controller-starts-inspectors").toString())
        .contains("== '" + image + "'");
    for (var pod : pods(Chart.render(""))) {
      assertThat(pod.getSpec().getImagePullSecrets()).isEmpty();
      assertThat(pod.getSpec().getContainers())
          .allMatch(c -> c.getImage().equals("localhost/rekindle:dev"));
    }
  }

  @Test
  void shouldGiveEachPodMoreLabelsAnnotationsAndAPriority() {
    var chart =
        Chart.render(
            """
            podLabels: {team: platform}
            podAnnotations: {example.com/owner: sre}
            priorityClassName: high
            """);
    for (var pod : pods(chart)) {
      assertThat(pod.getMetadata().getLabels())
          .containsEntry("team", "platform")
          .containsEntry("app.kubernetes.io/name", "rekindle");
      assertThat(pod.getMetadata().getAnnotations()).containsEntry("example.com/owner", "sre");
      assertThat(pod.getSpec().getPriorityClassName()).isEqualTo("high");
    }
  }

  /** On OpenShift the user and the group are assigned by an SCC, and others are refused. */
  @Test
  void shouldLeaveOutWhatThePlatformAssigns() {
    for (String what : List.of("-controller", "-console")) {
      var usual = Chart.render("").one(Deployment.class, what).getSpec().getTemplate().getSpec();
      assertThat(usual.getSecurityContext().getRunAsNonRoot()).isTrue();
      assertThat(usual.getSecurityContext().getRunAsUser()).isEqualTo(65532);
      assertThat(usual.getSecurityContext().getSeccompProfile().getType())
          .isEqualTo("RuntimeDefault");
      var assigned =
          Chart.render("podSecurityContext: {runAsUser: null, runAsGroup: null}")
              .one(Deployment.class, what)
              .getSpec()
              .getTemplate()
              .getSpec()
              .getSecurityContext();
      assertThat(assigned.getRunAsUser()).isNull();
      assertThat(assigned.getRunAsGroup()).isNull();
      assertThat(assigned.getRunAsNonRoot()).isTrue();
    }
  }

  @Test
  void shouldNameItsObjectsAsTheValuesSay() {
    assertThat(Chart.render("").names()).noneMatch(name -> name.contains("/gpu-recovery"));
    assertThat(Chart.render("fullnameOverride: gpu-recovery").names())
        .contains("Deployment/gpu-recovery-controller", "DaemonSet/gpu-recovery-agent")
        .filteredOn(name -> name.startsWith("Deployment/") || name.startsWith("DaemonSet/"))
        .allMatch(name -> name.contains("/gpu-recovery-"));
  }

  @Test
  void shouldKeepAgentsAndConsolesOffNodesThatTheValuesExclude() {
    String affinity =
        """
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms: [{matchExpressions: [{key: virtual, operator: DoesNotExist}]}]
        """
            .indent(2);
    var chart =
        Chart.render(
            "agent:\n  nodeAffinity:\n%sconsole:\n  nodeAffinity:\n%s"
                .formatted(affinity, affinity));
    for (var pod : pods(chart).subList(1, 3)) {
      assertThat(
              pod.getSpec()
                  .getAffinity()
                  .getNodeAffinity()
                  .getRequiredDuringSchedulingIgnoredDuringExecution()
                  .getNodeSelectorTerms())
          .singleElement()
          .satisfies(
              term ->
                  assertThat(term.getMatchExpressions())
                      .extracting(e -> e.getKey())
                      .containsExactly("virtual"));
    }
  }

  @Test
  void shouldRefuseALabelOfItsOwn() {
    assertThatThrownBy(() -> Chart.render("podLabels: {app.kubernetes.io/name: x}"))
        .hasMessageContaining("app.kubernetes.io/name is a label of the chart");
  }

  @Test
  void shouldLetADrainTakeOneControllerAtATime() {
    var chart = Chart.render("");
    var budget = chart.one(PodDisruptionBudget.class, "-controller").getSpec();

    assertThat(budget.getMaxUnavailable().getIntVal()).isEqualTo(1);
    assertThat(budget.getMinAvailable()).isNull();
    assertThat(budget.getUnhealthyPodEvictionPolicy()).isEqualTo("AlwaysAllow");
    assertThat(pods(chart).getFirst().getMetadata().getLabels())
        .containsAllEntriesOf(budget.getSelector().getMatchLabels());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "controller: {replicas: 1}",
        "controller: {replicas: 0}",
        "controller: {podDisruptionBudget: false}"
      })
  void shouldBlockNoDrainWithABudgetOfASingleController(String values) {
    assertThat(Chart.render(values).names())
        .noneMatch(name -> name.startsWith("PodDisruptionBudget"));
  }

  @Test
  void shouldPlaceAndSpreadControllersAsTheValuesSay() {
    var chart =
        Chart.render(
            """
            controller:
              tolerations: [{key: infra, operator: Exists}]
              nodeAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                  nodeSelectorTerms: [{matchExpressions: [{key: infra, operator: Exists}]}]
              topologySpreadConstraints:
              - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}
              - {maxSkew: 2, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway}
            """);
    var pod = pods(chart).getFirst();
    var spread = pod.getSpec().getTopologySpreadConstraints();

    assertThat(spread)
        .extracting(s -> s.getTopologyKey())
        .containsExactly("topology.kubernetes.io/zone", "rack");
    assertThat(spread)
        .allSatisfy(
            s ->
                assertThat(pod.getMetadata().getLabels())
                    .containsAllEntriesOf(s.getLabelSelector().getMatchLabels()));
    assertThat(pod.getSpec().getAffinity().getNodeAffinity()).isNotNull();
    assertThat(pod.getSpec().getAffinity().getPodAntiAffinity()).isNotNull();
    assertThat(pod.getSpec().getTolerations())
        .extracting(toleration -> toleration.getKey())
        .containsExactly("infra");
  }

  @Test
  void shouldLetViewersReadTheRecordsOfTheirNamespaceAndWriteNothing() {
    var role = Chart.render("").one(ClusterRole.class, "-view");

    assertThat(role.getMetadata().getLabels())
        .containsAllEntriesOf(Map.of("rbac.authorization.k8s.io/aggregate-to-view", "true"));
    assertThat(role.getRules())
        .singleElement()
        .satisfies(
            rule -> {
              assertThat(rule.getApiGroups()).containsExactly("rekindle.dev");
              assertThat(rule.getVerbs()).containsExactly("get", "list", "watch");
              assertThat(rule.getResources())
                  .containsExactly("recoveries", "rankreports", "restartorders", "restartreports");
            });
    assertThat(Chart.render("rbac: {aggregateToView: false}").names())
        .doesNotContain("ClusterRole/rk-view");
  }
}
