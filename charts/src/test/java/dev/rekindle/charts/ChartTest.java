package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
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
            "Deployment/rk-controller",
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
            "Role/rk-node-leases",
            "RoleBinding/rk-node-leases",
            "RecoveryPolicy/default");
  }

  @Test
  void shouldLeaveOutAllOfTheAgentWhenItIsOff() {
    assertThat(Chart.render("agent: {enabled: false}").names()).noneMatch(n -> n.contains("agent"));
  }

  @Test
  void shouldMonitorBothOnRequestOnly() {
    assertThat(Chart.render("metrics: {serviceMonitor: {enabled: true}}").names())
        .contains("PodMonitor/rk-controller", "PodMonitor/rk-agent");
    assertThat(Chart.render("").names()).noneMatch(n -> n.contains("Monitor"));
  }

  @Test
  void shouldWriteThePolicyAsTheValuesSay() {
    var policy =
        Chart.render(
                """
                policy:
                  default: {mode: observe, maxFencedNodes: 1, topologyKeys: [example.com/rack]}
                """)
            .one(RecoveryPolicy.class, "default");

    assertThat(policy.getSpec().mode()).isEqualTo("observe");
    assertThat(policy.getSpec().maxFencedNodes()).isEqualTo(1);
    assertThat(policy.getSpec().topologyKeys()).containsExactly("example.com/rack");
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
