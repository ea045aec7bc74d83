package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code helm test}, and what runs before {@code helm uninstall}. */
class HooksTest {
  private static PodSpec test(Chart chart) {
    return chart.one(Pod.class, "-test").getSpec();
  }

  private static PodSpec preDelete(Chart chart) {
    return chart.one(Job.class, "-pre-delete").getSpec().getTemplate().getSpec();
  }

  private static Map<String, String> environment(PodSpec pod) {
    return pod.getContainers().getFirst().getEnv().stream()
        .filter(variable -> variable.getValue() != null)
        .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
  }

  @Test
  void shouldRunTheImageUnderTheRestrictedStandardWithRightsToReadAlone() {
    Chart chart = Chart.renderWithHooks("imagePullSecrets: [{name: registry}]");
    for (PodSpec pod : List.of(test(chart), preDelete(chart))) {
      var container = pod.getContainers().getFirst();
      assertThat(container.getImage()).isEqualTo("localhost/rekindle:dev");
      assertThat(pod.getImagePullSecrets()).hasSize(1);
      assertThat(pod.getServiceAccountName()).isEqualTo("rk-hooks");
      assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
      assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
      assertThat(container.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
    }
    assertThat(test(chart).getContainers().getFirst().getArgs()).containsExactly("check-install");
    assertThat(preDelete(chart).getContainers().getFirst().getArgs())
        .containsExactly("check-removal");
    assertThat(RbacTest.table(chart.one(ClusterRole.class, "-hooks").getRules()))
        .isEqualTo(Map.of("/nodes", "list", "rekindle.dev/recoveries", "list"));
    assertThat(RbacTest.table(chart.one(Role.class, "-hooks").getRules()))
        .isEqualTo(
            Map.of(
                "coordination.k8s.io/leases/rekindle-controller", "get",
                "/pods", "list",
                "apps/daemonsets/rk-agent", "get"));
  }

  private static Map<String, String> hook(ObjectMeta meta) {
    return meta.getAnnotations();
  }

  @Test
  void shouldRunWhenHelmIsAskedAndStayForItsLog() {
    Chart chart = Chart.renderWithHooks("");
    Job job = chart.one(Job.class, "-pre-delete");

    assertThat(hook(chart.one(Pod.class, "-test").getMetadata()))
        .containsEntry(Chart.HOOK, "test")
        .containsEntry("helm.sh/hook-delete-policy", "before-hook-creation");
    assertThat(hook(job.getMetadata()))
        .containsEntry(Chart.HOOK, "pre-delete")
        .containsEntry("helm.sh/hook-delete-policy", "before-hook-creation");
    assertThat(job.getSpec().getBackoffLimit()).as("one refusal is enough").isZero();
    assertThat(job.getSpec().getTtlSecondsAfterFinished()).isEqualTo(600);
    assertThat(Chart.renderWithHooks("hooks: {preDelete: false}").names())
        .contains("Pod/rk-test")
        .doesNotContain("Job/rk-pre-delete");
  }

  @Test
  void shouldRequestWhatTheChartInstallsAlone() {
    Chart whole = Chart.renderWithHooks("");
    assertThat(environment(test(whole)))
        .containsEntry("REKINDLE_AGENTS", "rk-agent")
        .containsEntry("REKINDLE_CONSOLE", "http://rk-console.rekindle-system.svc/readyz");
    assertThat(whole.names()).contains("DaemonSet/rk-agent", "Service/rk-console");
    assertThat(
            environment(
                test(
                    Chart.renderWithHooks("{agent: {enabled: false}, console: {enabled: false}}"))))
        .doesNotContainKeys("REKINDLE_AGENTS", "REKINDLE_CONSOLE");
    assertThat(environment(test(Chart.renderWithHooks("console: {replicas: 0}"))))
        .doesNotContainKey("REKINDLE_CONSOLE");
  }

  /** Else `helm test` fails where metrics may be asked for by Prometheus alone. */
  @Test
  void shouldReachTheConsoleThroughItsNetworkPolicy() {
    Chart chart = Chart.renderWithHooks("networkPolicy: {from: [{ipBlock: {cidr: 10.0.0.0/8}}]}");
    var labels = chart.one(Pod.class, "-test").getMetadata().getLabels();

    assertThat(chart.one(NetworkPolicy.class, "-console").getSpec().getIngress().getFirst())
        .satisfies(
            rule ->
                assertThat(rule.getFrom())
                    .filteredOn(peer -> peer.getPodSelector() != null)
                    .singleElement()
                    .satisfies(
                        peer ->
                            assertThat(labels)
                                .containsAllEntriesOf(peer.getPodSelector().getMatchLabels())));
    assertThat(
            chart
                .one(NetworkPolicy.class, "-controller")
                .getSpec()
                .getIngress()
                .getFirst()
                .getFrom())
        .hasSize(1);
  }

  @Test
  void shouldCountForNoOtherComponent() {
    Chart chart = Chart.renderWithHooks("");
    assertThat(chart.one(Pod.class, "-test").getMetadata().getLabels())
        .doesNotContainEntry(
            "app.kubernetes.io/component",
            chart
                .one(Deployment.class, "-controller")
                .getSpec()
                .getSelector()
                .getMatchLabels()
                .get("app.kubernetes.io/component"));
  }
}
