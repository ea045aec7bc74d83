package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rekindle.controller.model.AscendView;
import dev.rekindle.detect.node.DeviceSlice;
import dev.rekindle.detect.node.DeviceTaint;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Devices of nodes. */
class FlatStateOfDevicesTest extends FlatStateOfNodesFixture {
  private static DeviceTaint rule(String driver, String pool, String device) {
    return new DeviceTaint(
        driver, pool, device, false, "", "example.com/broken", "", "NoExecute", null);
  }

  @Test
  void shouldReadTheTaintsOfANodesDevicesFromSlicesAndFromRulesForTheirPool() {
    DeviceTaint own = rule("gpu.example.com", "pool-1", "gpu-0");
    state
        .sliceFeed()
        .present("s1", "1", new DeviceSlice("n1", "gpu.example.com", "pool-1", List.of(own)));
    state
        .sliceFeed()
        .present("s2", "1", new DeviceSlice("n2", "gpu.example.com", "pool-2", List.of()));
    changed.clear();
    state.taintRuleFeed().present("r1", "1", rule("", "pool-2", ""));
    state.taintRuleFeed().present("r2", "1", rule("other.example.com", "pool-1", ""));

    assertThat(changed).contains("node n2").doesNotContain("job team/mnist");
    assertThat(state.dra("n1").taints()).containsExactly(own);
    assertThat(state.dra("n2").taints()).containsExactly(rule("", "pool-2", ""));
    state.taintRuleFeed().gone("r1", "2");
    assertThat(state.dra("n2").taints()).isEmpty();
    assertThat(state.dra("n3").taints()).isEmpty();
  }

  @Test
  void shouldReconcileANodeWhenAPodShowsItsDeviceAsUnhealthyAndWhenItLeaves() {
    feeds.pods().present(pod("p", "n1", "Running", 1));
    assertThat(changed).doesNotContain("node n1");
    Pod sick =
        object(
            Pod.class,
            """
            metadata:
              name: p
              namespace: team
              uid: p-uid
              resourceVersion: "2"
              labels: {training.kubeflow.org/job-name: mnist}
            spec: {nodeName: n1}
            status:
              phase: Running
              containerStatuses:
              - name: pytorch
                allocatedResourcesStatus:
                - {name: nvidia.com/gpu, resources: [{resourceID: GPU-1, health: Unhealthy}]}
            """);
    feeds.pods().present(sick);
    assertThat(changed).contains("node n1");
    changed.clear();
    feeds.pods().gone(sick);
    assertThat(changed).contains("node n1");
  }

  @Test
  void shouldReadMindClustersConfigMapsAndNoOthers() {
    ConfigMap faulty =
        object(
            ConfigMap.class,
            """
            metadata: {name: mindx-dl-nodeinfo-n1, namespace: mindx-dl, resourceVersion: "1"}
            data: {NodeInfo: '{"NodeInfo":{"NodeStatus":"UnHealthy","FaultDevList":[]}}'}
            """);
    ConfigMap rubbish =
        object(
            ConfigMap.class,
            """
            metadata: {name: mindx-dl-deviceinfo-n1, namespace: kube-system, resourceVersion: "1"}
            data: {DeviceInfoCfg: 'none of your business'}
            """);
    ConfigMap other =
        object(
            ConfigMap.class,
            """
            metadata: {name: coredns, namespace: kube-system, resourceVersion: "1"}
            data: {Corefile: x}
            """);
    feeds.ascend().present(faulty);
    feeds.ascend().present(rubbish);
    feeds.ascend().present(other);

    assertThat(state.ascend("n1"))
        .extracting(AscendView::readable, v -> v.faults().size())
        .containsExactlyInAnyOrder(tuple(true, 1), tuple(false, 0));
    feeds.ascend().gone(faulty);
    assertThat(state.ascend("n1")).hasSize(1);
  }
}
