package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.rules.Rule;
import dev.rekindle.detect.rules.Rules;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The DaemonSet of the agent. */
class AgentWorkloadTest extends WorkloadsFixture {
  @Test
  void shouldRunTheAgentOnEveryNodeWhateverItsTaints() {
    PodSpec pod = agent("");

    assertThat(pod.getTolerations())
        .containsExactly(new Toleration(null, null, "Exists", null, null));
    assertThat(pod.getNodeSelector()).isNullOrEmpty();
    assertThat(environment(pod.getContainers().getFirst()))
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                Map.entry("REKINDLE_NODE_NAME", "field spec.nodeName"),
                Map.entry("REKINDLE_KMSG", "/dev/kmsg"),
                Map.entry("REKINDLE_POD_LOGS", "/var/log/pods"),
                Map.entry("REKINDLE_STATE_DIR", "/var/lib/rekindle"),
                Map.entry("REKINDLE_HTTP_PORT", "8081"),
                Map.entry("REKINDLE_REPORT_INTERVAL", "5s"),
                Map.entry("REKINDLE_FREEZE", "true"),
                Map.entry("REKINDLE_EVIDENCE", "true"),
                Map.entry("REKINDLE_CGROUP", "/host/cgroup"),
                Map.entry("REKINDLE_PROC", "/proc"),
                Map.entry("REKINDLE_RULES", "/etc/rekindle/rules/rules.yaml"),
                Map.entry("REKINDLE_NVML", "auto"),
                Map.entry("REKINDLE_NVML_POLL", "15s"),
                Map.entry("REKINDLE_NVML_HUNG", "2m"),
                Map.entry("REKINDLE_NICS", "auto"),
                Map.entry("REKINDLE_NIC_POLL", "15s"),
                Map.entry("REKINDLE_SYS", "/host/sys"),
                Map.entry("REKINDLE_LOG_FORMAT", "logfmt"),
                Map.entry("REKINDLE_LOG_LEVEL", "info")));
  }

  @Test
  void shouldReadDevicesOnlyAsFarAsWanted() {
    PodSpec all =
        agent(
            """
            agent:
              nvml: {hostPath: /run/nvidia/driver, pollInterval: 30s, hungAfter: 1m}
              nics: {hostPath: /fake/sys, exclude: [mlx5_4, mlx5_5], rails: {mlx5_0: 0, mlx5_3: 1}}
            """);
    Container container = all.getContainers().getFirst();
    assertThat(environment(container))
        .containsEntry("REKINDLE_NVML_POLL", "30s")
        .containsEntry("REKINDLE_NVML_HUNG", "1m")
        .containsEntry("REKINDLE_NIC_EXCLUDE", "mlx5_4,mlx5_5")
        .containsEntry("REKINDLE_NIC_RAILS", "mlx5_0=0,mlx5_3=1");
    assertThat(mount(container, "/host/driver").getReadOnly()).isTrue();
    assertThat(mount(container, "/host/driver").getMountPropagation()).isEqualTo("HostToContainer");
    assertThat(mount(container, "/host/sys").getReadOnly()).isTrue();
    assertThat(all.getVolumes())
        .filteredOn(volume -> volume.getHostPath() != null)
        .extracting(volume -> volume.getHostPath().getPath())
        .contains("/run/nvidia/driver", "/fake/sys");

    PodSpec none = agent("agent: {nvml: {enabled: false, hostPath: /d}, nics: {enabled: false}}");
    assertThat(environment(none.getContainers().getFirst()))
        .containsEntry("REKINDLE_NVML", "off")
        .containsEntry("REKINDLE_NICS", "off")
        .doesNotContainKeys("REKINDLE_NIC_EXCLUDE", "REKINDLE_NIC_RAILS");
    assertThat(none.getVolumes())
        .noneMatch(volume -> List.of("driver", "sys").contains(volume.getName()));
  }

  @Test
  void shouldHandTheRulesToTheAgentAsAFolderSoThatTheyChangeUnderIt() {
    String values = "agent: {rules: {rules: [{name: mine, xid: [79], verdict: watch}]}}";
    PodSpec pod = agent(values);
    VolumeMount mount = mount(pod.getContainers().getFirst(), "/etc/rekindle/rules");
    ConfigMap map = Chart.render(values).one(ConfigMap.class, "-agent-rules");
    assertThat(mount.getSubPath()).isNull();
    assertThat(mount.getReadOnly()).isTrue();
    assertThat(pod.getVolumes())
        .filteredOn(volume -> volume.getName().equals(mount.getName()))
        .singleElement()
        .satisfies(
            volume ->
                assertThat(volume.getConfigMap().getName()).isEqualTo(map.getMetadata().getName()));
    assertThat(map.getData().get("rules.yaml")).contains("name: mine", "- 79", "verdict: watch");
  }

  @Test
  void shouldGiveTheAgentRulesThatItTakes() {
    String shipped =
        Chart.render("").one(ConfigMap.class, "-agent-rules").getData().get("rules.yaml");
    assertThat(Rules.shipped().with("rules.yaml", shipped)).isEqualTo(Rules.shipped());
    String mine =
        Chart.render("agent: {rules: {rules: [{name: mine, xid: [79], verdict: watch}]}}")
            .one(ConfigMap.class, "-agent-rules")
            .getData()
            .get("rules.yaml");
    assertThat(Rules.shipped().with("rules.yaml", mine).rules())
        .extracting(Rule::name)
        .contains("mine");
  }

  @Test
  void shouldLetTheAgentWriteNothingOfTheNodeButItsStateAndCgroups() {
    PodSpec pod = agent("");
    Container container = pod.getContainers().getFirst();
    assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
    assertThat(pod.getHostNetwork()).isNull();
    assertThat(pod.getHostIPC()).isNull();
    assertThat(mount(container, "/dev/kmsg").getReadOnly()).isTrue();
    assertThat(mount(container, "/var/log/pods").getReadOnly()).isTrue();
    assertThat(mount(container, "/var/lib/rekindle").getReadOnly()).isNull();
    assertThat(mount(container, "/host/cgroup").getReadOnly()).isNull();
  }

  @Test
  void shouldSeeAndEndProcessesOfTheNodeOnlyWhereItMayFreeze() {
    String values = "agent: {kmsg: {privileged: false}, freeze: {hostPath: /cg, enabled: %s}}";
    PodSpec with = agent(values.formatted(true));
    PodSpec without = agent(values.formatted(false));
    assertThat(with.getHostPID()).isTrue();
    assertThat(with.getContainers().getFirst().getSecurityContext().getCapabilities().getAdd())
        .containsExactly("KILL", "SYS_PTRACE", "DAC_OVERRIDE");
    assertThat(with.getVolumes())
        .filteredOn(volume -> volume.getName().equals("cgroup"))
        .singleElement()
        .satisfies(volume -> assertThat(volume.getHostPath().getPath()).isEqualTo("/cg"));
    assertThat(without.getHostPID()).isNull();
    assertThat(without.getContainers().getFirst().getSecurityContext().getCapabilities().getAdd())
        .isEmpty();
    assertThat(without.getVolumes()).noneMatch(volume -> volume.getName().equals("cgroup"));
    assertThat(environment(without.getContainers().getFirst()))
        .containsEntry("REKINDLE_FREEZE", "false");
  }

  @Test
  void shouldReachIntoContainersOnlyWhereItMayInspectRanks() {
    Container without =
        agent("agent: {kmsg: {privileged: false}, evidence: {enabled: false}}")
            .getContainers()
            .getFirst();
    assertThat(without.getSecurityContext().getCapabilities().getAdd()).containsExactly("KILL");
    assertThat(environment(without)).containsEntry("REKINDLE_EVIDENCE", "false");
  }

  @Test
  void shouldBePrivilegedOnlyForTheDevice() {
    var withDevice = agent("").getContainers().getFirst().getSecurityContext();
    PodSpec pod = agent("agent: {kmsg: {privileged: false}}");
    var without = pod.getContainers().getFirst().getSecurityContext();
    assertThat(withDevice.getPrivileged()).isTrue();
    assertThat(without.getPrivileged()).isNull();
    assertThat(without.getAllowPrivilegeEscalation()).isFalse();
    assertThat(without.getCapabilities().getDrop()).containsExactly("ALL");
    assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
  }
}
