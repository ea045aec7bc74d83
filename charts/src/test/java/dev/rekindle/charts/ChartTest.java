package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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
            "Role/rk-node-leases",
            "RoleBinding/rk-node-leases",
            "RecoveryPolicy/default");
  }

  @Test
  void shouldLeaveOutAllOfTheAgentWhenItIsOff() {
    assertThat(Chart.render("agent: {enabled: false}").names()).noneMatch(n -> n.contains("agent"));
  }

  @Test
  void shouldLeaveOutTheAdmissionPolicyWhenItIsOff() {
    assertThat(Chart.render("agent: {admissionPolicy: false}").names())
        .noneMatch(n -> n.contains("agent-writes-own-node"))
        .contains("DaemonSet/rk-agent");
    assertThat(Chart.render("controller: {admissionPolicy: false}").names())
        .noneMatch(n -> n.contains("controller-writes"));
  }

  /** A detector that the policy does not know could be signed by anybody. */
  @Test
  void shouldLetNobodyButTheControllerWriteWhatItsDetectorsFind() {
    JsonNode policy =
        Chart.render("")
            .one("ValidatingAdmissionPolicy", "-controller-writes-its-faults")
            .get("spec");

    assertThat(policy.get("failurePolicy").asText()).isEqualTo("Fail");
    assertThat(policy.at("/matchConstraints/resourceRules/0/resources"))
        .extracting(JsonNode::asText)
        .containsExactlyInAnyOrder("nodefaults", "nodefaults/status");
    assertThat(policy.at("/matchConditions/0/expression").asText())
        .isEqualTo(
            "request.userInfo.username !="
                + " \"system:serviceaccount:rekindle-system:rk-controller\"");
    assertThat(policy.at("/variables/0/expression").asText())
        .isEqualTo("['condition', 'device-plugin', 'dra', 'ascend', 'hami']");
  }

  @Test
  void shouldLetNobodyButTheControllerOrderARestart() {
    JsonNode policy =
        Chart.render("").one("ValidatingAdmissionPolicy", "-controller-writes-orders").get("spec");

    assertThat(policy.get("failurePolicy").asText()).isEqualTo("Fail");
    assertThat(policy.has("matchConditions")).as("it holds for everybody").isFalse();
    JsonNode rule = policy.at("/matchConstraints/resourceRules/0");
    assertThat(rule.get("resources")).extracting(JsonNode::asText).containsExactly("restartorders");
    assertThat(rule.get("operations"))
        .extracting(JsonNode::asText)
        .containsExactlyInAnyOrder("CREATE", "UPDATE");
    assertThat(policy.at("/validations/0/expression").asText())
        .startsWith(
            "request.userInfo.username =="
                + " \"system:serviceaccount:rekindle-system:rk-controller\"")
        .endsWith("|| (oldObject != null && object.spec == oldObject.spec)");
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
  void shouldHoldAgentsToTheNodeThatTheirTokenNames() {
    JsonNode policy =
        Chart.render("").one("ValidatingAdmissionPolicy", "-agent-writes-own-node").get("spec");

    assertThat(policy.get("failurePolicy").asText()).isEqualTo("Fail");
    assertThat(policy.at("/matchConditions/0/expression").asText())
        .contains("\"system:serviceaccount:rekindle-system:rk-agent\"");
    assertThat(policy.at("/matchConstraints/resourceRules/0/resources"))
        .extracting(JsonNode::asText)
        .containsExactlyInAnyOrder(
            "nodefaults",
            "nodefaults/status",
            "rankreports",
            "rankreports/status",
            "restartreports");
    assertThat(policy.get("validations"))
        .extracting(v -> v.get("expression").asText())
        .contains("object.spec.node == variables.node", "variables.node != ''");
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
