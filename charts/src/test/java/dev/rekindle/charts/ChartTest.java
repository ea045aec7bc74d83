package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPolicy;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ChartTest {
  @Test
  void shouldPassHelmsOwnLinterWithoutAWarning() {
    var result = Chart.helm().lint().strict().call();

    assertThat(result.getMessages()).noneMatch(m -> m.contains("WARNING") || m.contains("ERROR"));
    assertThat(result.isFailed()).isFalse();
  }

  @Test
  void shouldRenderExactlyTheseObjectsByDefault() {
    assertThat(Chart.render("").names())
        .containsExactlyInAnyOrder(
            "ServiceAccount/rk-controller",
            "ServiceAccount/rk-agent",
            "ServiceAccount/rk-hooks",
            "ClusterRole/rk-hooks",
            "ClusterRoleBinding/rk-hooks",
            "Role/rk-hooks",
            "RoleBinding/rk-hooks",
            "Deployment/rk-controller",
            "PodDisruptionBudget/rk-controller",
            "ClusterRole/rk-view",
            "ClusterRole/rk-approver",
            "DaemonSet/rk-agent",
            "ConfigMap/rk-agent-rules",
            "ClusterRole/rk-controller",
            "ClusterRole/rk-agent",
            "ClusterRoleBinding/rk-controller",
            "ClusterRoleBinding/rk-agent",
            "Role/rk-controller",
            "RoleBinding/rk-controller",
            "ValidatingAdmissionPolicy/rk-agent-writes-own-node",
            "ValidatingAdmissionPolicyBinding/rk-agent-writes-own-node",
            "ValidatingAdmissionPolicy/rk-agent-writes-reports",
            "ValidatingAdmissionPolicyBinding/rk-agent-writes-reports",
            "ValidatingAdmissionPolicy/rk-controller-writes-orders",
            "ValidatingAdmissionPolicyBinding/rk-controller-writes-orders",
            "ValidatingAdmissionPolicy/rk-controller-writes-its-faults",
            "ValidatingAdmissionPolicyBinding/rk-controller-writes-its-faults",
            "ValidatingAdmissionPolicy/rk-controller-writes-recoveries",
            "ValidatingAdmissionPolicyBinding/rk-controller-writes-recoveries",
            "ValidatingAdmissionPolicy/rk-controller-starts-inspectors",
            "ValidatingAdmissionPolicyBinding/rk-controller-starts-inspectors",
            "ValidatingAdmissionPolicy/rk-controller-keeps-pods",
            "ValidatingAdmissionPolicyBinding/rk-controller-keeps-pods",
            "ValidatingAdmissionPolicy/rk-controller-keeps-nodes",
            "ValidatingAdmissionPolicyBinding/rk-controller-keeps-nodes",
            "ValidatingAdmissionPolicy/rk-controller-keeps-jobs",
            "ValidatingAdmissionPolicyBinding/rk-controller-keeps-jobs",
            "ValidatingAdmissionPolicy/rk-controller-keeps-queues",
            "ValidatingAdmissionPolicyBinding/rk-controller-keeps-queues",
            "ValidatingAdmissionPolicy/rk-controller-keeps-podgroups",
            "ValidatingAdmissionPolicyBinding/rk-controller-keeps-podgroups",
            "Role/rk-node-leases",
            "RoleBinding/rk-node-leases",
            "NetworkPolicy/rk-controller",
            "NetworkPolicy/rk-agent",
            "ServiceAccount/rk-console",
            "ClusterRole/rk-console",
            "ClusterRoleBinding/rk-console",
            "Service/rk-console",
            "Deployment/rk-console",
            "NetworkPolicy/rk-console",
            "RecoveryPolicy/default");
  }

  @Test
  void shouldLeaveOutAllOfTheAgentWhenItIsOff() {
    assertThat(Chart.render("agent: {enabled: false}").names())
        .filteredOn(n -> n.contains("agent"))
        .as("no account writes reports then")
        .allMatch(n -> n.endsWith("/rk-agent-writes-reports"));
  }

  @Test
  void shouldMonitorAllOnRequestOnly() {
    assertThat(Chart.render("metrics: {podMonitor: {enabled: true}}").names())
        .contains("PodMonitor/rk-controller", "PodMonitor/rk-agent", "PodMonitor/rk-console");
    assertThat(
            Chart.render("metrics: {podMonitor: {enabled: true}}\nconsole: {enabled: false}")
                .names())
        .doesNotContain("PodMonitor/rk-console");
    assertThat(Chart.render("").names()).noneMatch(n -> n.contains("Monitor"));
  }

  @Test
  void shouldLabelMonitorsAndSetTheirIntervalAsTheValuesSay() {
    var chart =
        Chart.render(
            "metrics: {podMonitor: {enabled: true, labels: {release: prom}, interval: 15s}}");
    for (var component : List.of("controller", "agent", "console")) {
      assertThat(chart.one("PodMonitor", "rk-" + component).toString())
          .as(component)
          .contains("\"release\":\"prom\"", "\"interval\":\"15s\"");
    }
  }

  @Test
  void shouldLetAnybodyRequestProbesAndMetricsAndNothingElse() {
    var chart = Chart.render("");
    for (var component : List.of("controller", "agent")) {
      var policy = chart.one(NetworkPolicy.class, component).getSpec();
      var port = policy.getIngress().getFirst().getPorts().getFirst();
      var pods =
          component.equals("agent")
              ? chart.one(DaemonSet.class, component).getSpec().getTemplate()
              : chart.one(Deployment.class, component).getSpec().getTemplate();

      assertThat(policy.getPolicyTypes()).containsExactly("Ingress");
      assertThat(policy.getIngress()).hasSize(1);
      assertThat(policy.getIngress().getFirst().getFrom()).isEmpty();
      assertThat(policy.getIngress().getFirst().getPorts()).hasSize(1);
      assertThat(pods.getSpec().getContainers().getFirst().getPorts())
          .as("the named port is the only one that the pod has")
          .extracting(ContainerPort::getName)
          .containsExactly(port.getPort().getStrVal());
      assertThat(pods.getMetadata().getLabels())
          .containsAllEntriesOf(policy.getPodSelector().getMatchLabels());
    }
    assertThat(Chart.render("networkPolicy: {enabled: false}").names())
        .noneMatch(n -> n.startsWith("NetworkPolicy"));
    assertThat(Chart.render("agent: {enabled: false}").names())
        .contains("NetworkPolicy/rk-controller")
        .doesNotContain("NetworkPolicy/rk-agent");
  }

  @Test
  void shouldRestrictWhoAsksAndWhomTheyCallAsTheValuesSay() {
    var policy =
        Chart.render(
                """
                networkPolicy:
                  from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]
                  egress: [{to: [{ipBlock: {cidr: 10.0.0.1/32}}], ports: [{port: 6443}]}]
                """)
            .one(NetworkPolicy.class, "agent")
            .getSpec();

    assertThat(policy.getPolicyTypes()).containsExactly("Ingress", "Egress");
    assertThat(
            policy
                .getIngress()
                .getFirst()
                .getFrom()
                .getFirst()
                .getNamespaceSelector()
                .getMatchLabels())
        .containsEntry("kubernetes.io/metadata.name", "monitoring");
    assertThat(policy.getEgress().getFirst().getTo().getFirst().getIpBlock().getCidr())
        .isEqualTo("10.0.0.1/32");
  }

  @Test
  void shouldWriteThePolicyAsTheValuesSay() {
    var policy =
        Chart.render(
                """
                policy:
                  default: {mode: observe, fencing: {maxNodes: 1}, restart: {topologyKeys: [example.com/rack]}}
                """)
            .one(RecoveryPolicy.class, "default");

    assertThat(policy.getSpec().mode()).isEqualTo("observe");
    assertThat(Objects.requireNonNull(policy.getSpec().fencing()).maxNodes()).isEqualTo(1);
    assertThat(Objects.requireNonNull(policy.getSpec().restart()).topologyKeys())
        .containsExactly("example.com/rack");
    assertThat(policy.getMetadata().getNamespace()).isNull();
  }

  @Test
  void shouldCarryEveryCrdOutsideTheTemplatesSoThatInstallBringsThemFirst() throws Exception {
    try (var files = Files.list(Chart.FOLDER.resolve("crds"))) {
      assertThat(files.map(Path::getFileName).map(Path::toString))
          .containsExactlyInAnyOrder(
              "nodefaults.yaml",
              "rankreports.yaml",
              "recoveries.yaml",
              "recoverypolicies.yaml",
              "restartorders.yaml",
              "restartreports.yaml");
    }
    assertThat(Chart.render("").names()).noneMatch(n -> n.startsWith("CustomResourceDefinition"));
  }
}
