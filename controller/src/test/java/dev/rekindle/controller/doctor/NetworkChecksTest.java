package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.network.Networks.BY_GROUP;
import static dev.rekindle.controller.network.Networks.cluster;
import static dev.rekindle.controller.network.Networks.pool;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.network.Installation;
import dev.rekindle.controller.network.NetworkWish;
import dev.rekindle.detect.WatchedNamespaces;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NetworkChecksTest {
  private static List<Check> checks(NetworkWish wish, Installation spiderpool) {
    PodNeeds needs = new PodNeeds(Amounts.NONE, Map.of(), List.of(), List.of(), false, wish);
    JobView job = job().view();
    JobView asking =
        job.withReplicas(
            job.replicas().stream()
                .map(r -> new JobView.Replica(r.type(), r.count(), r.restart(), r.gpus(), needs))
                .toList());
    return NetworkChecks.of(
        new ExaminedJob(
            new JobSnapshot(asking, gang(""), nodes(), List.of(), List.of(), List.of()),
            Optional.of(Policy.DEFAULT),
            "",
            true,
            "",
            Map.of(),
            Map.of(),
            WatchedNamespaces.ALL,
            spiderpool,
            List.of()));
  }

  @Test
  void shouldSayNothingWithoutSpiderpool() {
    assertThat(checks(BY_GROUP, Installation.NONE)).isEmpty();
  }

  @Test
  void shouldListNicsWithTheirFreeAddresses() {
    assertThat(
            checks(
                BY_GROUP,
                new Installation(
                    cluster(pool("r1-a", 2), pool("r1-b", 3), pool("r2", 1)), List.of(), "")))
        .extracting(c -> c.status().word() + " " + c.detail())
        .contains(
            "ok Worker: net1 (spiderpool/gpu1) 5 free in 2 pools, net2 (spiderpool/gpu2) 1 free in"
                + " pool r2");
  }

  @Test
  void shouldSayWhatIsWrongAndWhatToDo() {
    NetworkWish wish =
        new NetworkWish("nope", null, List.of(), null, List.of(), false, List.of("x is no JSON"));

    assertThat(checks(wish, new Installation(cluster(pool("r1", 2)), List.of(), "")))
        .extracting(c -> c.status().word() + " " + c.detail() + " -> " + c.advice())
        .containsExactly(
            "missing x is no JSON -> correct the annotation of the pod template",
            "missing no SpiderMultusConfig carries cni.spidernet.io/rdma-resource-inject: nope ->"
                + " name a group that a SpiderMultusConfig carries as a label");
  }
}
