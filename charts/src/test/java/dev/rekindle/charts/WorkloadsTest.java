package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The controller, and what it has in common with the agent. */
class WorkloadsTest extends WorkloadsFixture {
  @Test
  void shouldRunTheControllerUnderTheRestrictedStandard() {
    PodSpec pod = controller("");
    var own = pod.getContainers().getFirst().getSecurityContext();
    assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
    assertThat(pod.getSecurityContext().getRunAsUser()).isEqualTo(65532L);
    assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
    assertThat(own.getAllowPrivilegeEscalation()).isFalse();
    assertThat(own.getReadOnlyRootFilesystem()).isTrue();
    assertThat(own.getCapabilities().getDrop()).containsExactly("ALL");
    assertThat(own.getPrivileged()).isNull();
    assertThat(pod.getVolumes()).allMatch(volume -> volume.getEmptyDir() != null);
  }

  @Test
  void shouldPassTheControllerWhatItRequests() {
    Container container =
        controller(
                """
                image: {repository: registry.example/rekindle, tag: "1.2"}
                controller:
                  leaseDuration: 30s
                  extraEnv: [{name: JDK_JAVA_OPTIONS, value: -Xmx1g}]
                """)
            .getContainers()
            .getFirst();

    assertThat(container.getImage()).isEqualTo("registry.example/rekindle:1.2");
    assertThat(container.getArgs()).containsExactly("controller");
    assertThat(environment(container))
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                Map.entry("REKINDLE_NAMESPACE", "field metadata.namespace"),
                Map.entry("REKINDLE_IDENTITY", "field metadata.name"),
                Map.entry("REKINDLE_INSPECTOR_IMAGE", "registry.example/rekindle:1.2"),
                Map.entry("REKINDLE_HTTP_PORT", "8080"),
                Map.entry("REKINDLE_LEASE_DURATION", "30s"),
                Map.entry("REKINDLE_LEASE_RENEW", "10s"),
                Map.entry("REKINDLE_LEASE_RETRY", "2s"),
                Map.entry("REKINDLE_ASCEND", "false"),
                Map.entry("REKINDLE_HISTORY_DAYS", "30"),
                Map.entry("REKINDLE_HISTORY_PER_JOB", "20"),
                Map.entry("REKINDLE_HISTORY_PER_NAMESPACE", "500"),
                Map.entry("REKINDLE_LOG_FORMAT", "logfmt"),
                Map.entry("REKINDLE_LOG_LEVEL", "info"),
                Map.entry("JDK_JAVA_OPTIONS", "-Xmx1g")));
  }

  @Test
  void shouldLetBothLogAsTheValuesSay() {
    String values = "{logFormat: json, logLevel: debug}";
    for (PodSpec pod : new PodSpec[] {controller(values), agent(values)}) {
      assertThat(environment(pod.getContainers().getFirst()))
          .containsEntry("REKINDLE_LOG_FORMAT", "json")
          .containsEntry("REKINDLE_LOG_LEVEL", "debug");
    }
  }

  @Test
  void shouldProbeBothWhereTheyAnswer() {
    for (Container container :
        new Container[] {
          controller("").getContainers().getFirst(), agent("").getContainers().getFirst()
        }) {
      assertThat(container.getLivenessProbe().getHttpGet().getPath()).isEqualTo("/livez");
      assertThat(container.getStartupProbe().getHttpGet().getPath()).isEqualTo("/livez");
      assertThat(container.getReadinessProbe().getHttpGet().getPath()).isEqualTo("/readyz");
      assertThat(container.getPorts())
          .singleElement()
          .satisfies(
              port ->
                  assertThat(String.valueOf(port.getContainerPort()))
                      .isEqualTo(environment(container).get("REKINDLE_HTTP_PORT")));
    }
  }

  @Test
  void shouldGiveEachNodeItsOwnFolderWhenSubPathsNameTheNode() {
    PodSpec pod =
        agent(
            """
            agent:
              kmsg: {hostPath: /tmp/bed, subPathExpr: $(REKINDLE_NODE_NAME)/kmsg, type: Directory}
              podLogs: {hostPath: /tmp/bed, subPathExpr: $(REKINDLE_NODE_NAME)/podlogs}
              state: {hostPath: /tmp/bed, subPathExpr: $(REKINDLE_NODE_NAME)/state}
            """);
    Container container = pod.getContainers().getFirst();

    assertThat(mount(container, "/dev/kmsg").getSubPathExpr())
        .isEqualTo("$(REKINDLE_NODE_NAME)/kmsg");
    assertThat(mount(container, "/var/log/pods").getSubPathExpr())
        .isEqualTo("$(REKINDLE_NODE_NAME)/podlogs");
    assertThat(mount(container, "/var/lib/rekindle").getSubPathExpr())
        .isEqualTo("$(REKINDLE_NODE_NAME)/state");
    assertThat(pod.getVolumes())
        .filteredOn(volume -> volume.getHostPath() != null)
        .filteredOn(volume -> !List.of("cgroup", "sys").contains(volume.getName()))
        .hasSize(3)
        .allMatch(volume -> volume.getHostPath().getPath().equals("/tmp/bed"));
  }

  @Test
  void shouldMountTheAccountTokenOnlyWhereItIsUsed() {
    for (PodSpec pod : new PodSpec[] {controller(""), agent("")}) {
      assertThat(pod.getAutomountServiceAccountToken()).isTrue();
      assertThat(pod.getServiceAccountName()).startsWith("rk-");
    }
    Chart chart = Chart.render("");
    for (String account : new String[] {"-controller", "-agent"}) {
      assertThat(
              chart.one("ServiceAccount", account).get("automountServiceAccountToken").asBoolean())
          .isFalse();
    }
  }
}
