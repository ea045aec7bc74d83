package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.network.Networks.cluster;
import static dev.rekindle.controller.network.Networks.pool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.doctor.ExaminedCluster.Leader;
import dev.rekindle.controller.doctor.ExaminedCluster.Operator;
import dev.rekindle.controller.doctor.ExaminedCluster.Webhook;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.network.Installation;
import dev.rekindle.detect.WatchedNamespaces;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ClusterChecksTest {
  private static final Instant NOW = T0.plusSeconds(3600);
  private static final String NOTHING_READ =
      "controller unknown, permissions unknown, policy unknown, operator unknown, webhook unknown,"
          + " topology unknown";

  /** What differs from a cluster in which nothing is missing but a job. */
  record Found(
      Optional<Leader> leader,
      Optional<Optional<Policy>> policy,
      Optional<List<Operator>> operators,
      Optional<List<Webhook>> webhooks,
      Optional<List<NodeView>> nodes,
      Installation spiderpool) {
    static final Found ALL =
        new Found(
            Optional.of(led(true, List.of())),
            Optional.of(Optional.of(Policy.DEFAULT)),
            Optional.of(List.of(operator("20", 1))),
            Optional.of(List.of(new Webhook("validator", true, Optional.of(1)))),
            Optional.of(List.of(inLeaf())),
            Installation.NONE);

    Found with(Leader other) {
      return new Found(Optional.of(other), policy, operators, webhooks, nodes, spiderpool);
    }

    Found withPolicy(Optional<Policy> other) {
      return new Found(leader, Optional.of(other), operators, webhooks, nodes, spiderpool);
    }

    Found with(Operator... others) {
      return new Found(leader, policy, Optional.of(List.of(others)), webhooks, nodes, spiderpool);
    }

    Found with(Webhook other) {
      return new Found(leader, policy, operators, Optional.of(List.of(other)), nodes, spiderpool);
    }

    Found with(NodeView other) {
      return new Found(
          leader, policy, operators, webhooks, Optional.of(List.of(other)), spiderpool);
    }

    Found with(Installation other) {
      return new Found(leader, policy, operators, webhooks, nodes, other);
    }

    ExaminedCluster cluster(String crds, List<ExaminedJob> jobs) {
      return new ExaminedCluster(
          crds,
          leader,
          policy.isPresent(),
          policy.flatMap(p -> p),
          operators,
          webhooks,
          nodes,
          "",
          spiderpool,
          jobs,
          0);
    }
  }

  static Stream<Arguments> clusters() {
    return Stream.of(
        argumentSet("all there", Found.ALL, ""),
        argumentSet(
            "nothing may be read",
            new Found(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Installation.NONE),
            NOTHING_READ),
        argumentSet("a lease that is old", Found.ALL.with(led(false, List.of())), "controller"),
        argumentSet(
            "no leader",
            Found.ALL.with(new Leader("", false, "", Optional.empty())),
            "controller missing, permissions unknown"),
        argumentSet(
            "a right is missing", Found.ALL.with(led(true, List.of("patch nodes"))), "perm"),
        argumentSet("no policy", Found.ALL.withPolicy(Optional.empty()), "policy"),
        argumentSet("no operator", Found.ALL.with(new Operator[0]), "operator unknown"),
        argumentSet("two operators", Found.ALL.with(operator("", 1), operator("", 1)), "operator"),
        argumentSet("an operator that is not Ready", Found.ALL.with(operator("", 0)), "operator"),
        argumentSet("a slow operator", Found.ALL.with(operator("0.1", 1)), "operator"),
        argumentSet("QPS that is no number", Found.ALL.with(operator("fast", 1)), ""),
        argumentSet(
            "a webhook without a pod",
            Found.ALL.with(new Webhook("validator", true, Optional.of(0))),
            "webhook"),
        argumentSet(
            "one that is ignored then",
            Found.ALL.with(new Webhook("validator", false, Optional.of(0))),
            ""),
        argumentSet("no labels", Found.ALL.with(node("node-0")), "topology"),
        argumentSet("no GPUs", Found.ALL.with(node("node-0").withGpus(0)), "topology unknown"),
        argumentSet(
            "an old Spiderpool",
            Found.ALL.with(new Installation(cluster(pool("r1", 9)), List.of(), "1.0.3")),
            "spiderpool"),
        argumentSet(
            "one webhook of Spiderpool",
            Found.ALL.with(new Installation(cluster(pool("r1", 9)), List.of("n1"), "1.2.1")),
            "spiderpool"));
  }

  @ParameterizedTest
  @MethodSource("clusters")
  void shouldSayWhatTheClusterLacks(Found found, String lacks) {
    List<Check> checks = ClusterChecks.of(found.cluster("", List.of(silent())), NOW);

    String said =
        checks.stream()
            .filter(c -> c.status() != Check.Status.OK)
            .filter(c -> !c.name().startsWith("job ") && !c.name().equals("agents"))
            .map(c -> c.name() + " " + c.status().word())
            .collect(Collectors.joining(", "));
    assertThat(said).startsWith(lacks);
    assertThat(said.isEmpty()).isEqualTo(lacks.isEmpty());
    assertThat(checks)
        .allSatisfy(c -> assertThat(c.advice().isEmpty()).isEqualTo(c.status() == Check.Status.OK));
  }

  @Test
  void shouldNameNodesWithoutReportsAndWhatEachJobLacks() {
    List<Check> checks = ClusterChecks.of(Found.ALL.cluster("old", List.of(silent())), NOW);

    assertThat(checks.getFirst())
        .isEqualTo(Check.missing("crds", "old", checks.getFirst().advice()));
    assertThat(checks)
        .filteredOn(c -> c.name().equals("agents"))
        .extracting(Check::detail)
        .containsExactly(
            "no report within 30 s from 3 of 3 nodes with opted-in jobs: node-0, node-1, node-2");
    Check last = checks.getLast();
    assertThat(last.name()).isEqualTo("job " + job().view().key());
    assertThat(last.detail()).startsWith("lacks agents, steps");
    assertThat(last.advice()).startsWith("kubectl rekindle doctor -n ");
  }

  @Test
  void shouldSayThatNoJobIsOptedIn() {
    assertThat(ClusterChecks.of(Found.ALL.cluster("", List.of()), NOW).getLast().detail())
        .isEqualTo("no job is opted in");
  }

  private static Leader led(boolean fresh, List<String> denied) {
    return new Leader("rekindle/controller-0", fresh, "rekindle", Optional.of(denied));
  }

  private static Operator operator(String qps, int ready) {
    return new Operator("kubeflow/training-operator", "v1-855e096", qps, ready);
  }

  private static NodeView inLeaf() {
    return node("node-0").withLabels(Map.of("fabric.topograph.run/tier-1", "leaf-a"));
  }

  private static ExaminedJob silent() {
    return new ExaminedJob(
        new JobSnapshot(Given.job().view(), gang(""), nodes(), List.of(), List.of(), List.of()),
        Optional.of(Policy.DEFAULT),
        "",
        true,
        "",
        Map.of(),
        Map.of(),
        WatchedNamespaces.ALL,
        Installation.NONE,
        List.of());
  }
}
