package dev.rekindle.controller.policy;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.policy.RuledJobTest.HERE;
import static dev.rekindle.controller.policy.RuledJobTest.policies;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.Policies;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.diagnosis.JobVerdicts;
import dev.rekindle.controller.diagnosis.NodeFacts;
import dev.rekindle.controller.diagnosis.NodeVerdict;
import dev.rekindle.controller.diagnosis.NodeVerdicts;
import dev.rekindle.controller.diagnosis.Verdict;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a policy keeps from jobs and nodes. */
class PolicyReachTest {

  /** A fault that fences, on a node of a job: what is done about both under what is seen. */
  static Stream<Arguments> seen() {
    return Stream.of(
        argumentSet("all is well", "default", Map.of("default", "{}"), true, ""),
        argumentSet(
            "the job names none that exists",
            "glod",
            Map.of("default", "{}"),
            false,
            "UnknownPolicy"),
        argumentSet(
            "and nothing else is allowed either",
            "glod",
            Map.of("default", "mode: observe\nfencing: {maxNodes: 0}"),
            false,
            "UnknownPolicy"),
        argumentSet("no policy is seen", "default", Map.of(), false, "WouldRecover"),
        argumentSet("default is gone", "lax", Map.of("lax", "{}"), false, "WouldRecover"),
        argumentSet(
            "a lax one under a strict default",
            "lax",
            Map.of("default", "mode: observe", "lax", "mode: auto"),
            false,
            "WouldRecover"),
        argumentSet(
            "a lax one that names the namespace",
            "lax",
            Map.of("default", "mode: observe", "lax", "namespaces: [%s]".formatted(HERE)),
            true,
            ""));
  }

  @ParameterizedTest
  @MethodSource("seen")
  void shouldTouchNeitherJobNorNodeBeyondItsPolicy(
      String name, Map<String, String> policies, boolean acts, String refusal) {
    JobView job = job().view().withPolicy(name);
    List<PodView> pods = gang("");
    String guilty = pods.getFirst().node();
    FlatState state = state(job, pods, policies);
    state.nodeFeed().present(guilty, "1", node(guilty));
    state.faultFeed().present("f", "1", fault(guilty, "XID-79", FenceGuidance.ALWAYS));

    NodeVerdict ofNode =
        NodeVerdicts.decide(NodeFacts.of(state, guilty, T0), RuledJob.ofNodes(state), T0);
    RuledJob ruled = RuledJob.of(state, job);
    Verdict ofJob =
        JobVerdicts.decide(
            new JobSnapshot(
                ruled.job(),
                pods,
                Map.of(guilty, node(guilty)),
                NodeFacts.faults(state, guilty, T0),
                List.of(),
                List.of()),
            ruled.policy(),
            T0);

    assertThat(ofNode instanceof NodeVerdict.Fence).as("%s", ofNode).isEqualTo(acts);
    assertThat(ofJob instanceof Verdict.Recover).as("%s", ofJob).isEqualTo(acts);
    if (!acts) {
      assertThat(ofJob)
          .isInstanceOfSatisfying(
              Verdict.Refuse.class, r -> assertThat(r.reason().word()).isEqualTo(refusal));
    }
  }

  static Stream<Arguments> lemons() {
    return Stream.of(
        argumentSet("default lifts them", Map.of("default", "{}"), true),
        argumentSet("default keeps them", Map.of("default", "fencing: {lemons: fence}"), false),
        argumentSet("default is gone", Map.of(), false));
  }

  @ParameterizedTest
  @MethodSource("lemons")
  void shouldReleaseNoLemonThatThePolicyMayWantFenced(
      Map<String, String> policies, boolean released) {
    FlatState state = state(job().view(), List.of(), policies);
    NodeView lemon =
        node("node-1", Readiness.READY, T0, true, "team/demo-r1")
            .withIncidents(
                Stream.of(1, 11, 21)
                    .map(day -> T0.minus(Duration.ofDays(day)) + " fault/" + day)
                    .collect(Collectors.joining(";")));
    state.nodeFeed().present("node-1", "1", lemon);

    NodeVerdict verdict =
        NodeVerdicts.decide(NodeFacts.of(state, "node-1", T0), RuledJob.ofNodes(state), T0);

    assertThat(verdict)
        .isInstanceOf(released ? NodeVerdict.Release.class : NodeVerdict.KeepFenced.class);
  }

  private static FlatState state(JobView job, List<PodView> pods, Map<String, String> policies) {
    FlatState state = new FlatState(new IgnoredChanges());
    state.jobFeed().present(job.key().toString(), "1", job);
    pods.forEach(p -> state.podFeed().present(p.job().namespace() + "/" + p.name(), "1", p));
    policies.forEach(
        (name, yaml) -> {
          state.policyFeed().present(name, "1", Policies.ofYaml(yaml));
          state.scorecardFeed().present(name, "1", dev.rekindle.api.Scorecard.NONE);
        });
    return state;
  }
}
