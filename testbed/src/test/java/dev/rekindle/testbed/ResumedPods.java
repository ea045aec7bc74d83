package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryStatus;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;

/** What the pods of a resumed gang must carry: where from, where to, and what the user wrote. */
final class ResumedPods {
  private static final String HOSTNAME = "kubernetes.io/hostname";
  private static final String TOPOLOGY = "fabric.topograph.run/tier-0";

  private ResumedPods() {}

  static void check(
      TrainingJob job, Map<String, String> networks, String faulty, Recovery recovery) {
    RecoveryStatus.Plan plan = Recoveries.plan(recovery);
    PinnedCheckpoint pin = Recoveries.checkpoint(recovery);
    assertThat(job.pods()).hasSize(3);
    for (Pod pod : job.pods()) {
      assertThat(pod.getSpec().getNodeName()).isNotEqualTo(faulty);
      assertThat(TrainingJob.attempt(pod)).isEqualTo(recovery.getMetadata().getName() + "-1");
      assertThat(TrainingJob.env(pod, "REKINDLE_RESUME_FROM")).hasValue(pin.path());
      assertThat(TrainingJob.env(pod, "REKINDLE_RESUME_STEP")).hasValue("" + pin.step());
      assertThat(TrainingJob.env(pod, "REKINDLE_ATTEMPT")).hasValue(TrainingJob.attempt(pod));
      assertThat(pod.getMetadata().getAnnotations()).containsAllEntriesOf(networks);
      affinity(pod.getSpec().getAffinity(), faulty, plan);
    }
  }

  private static void affinity(Affinity affinity, String faulty, RecoveryStatus.Plan plan) {
    List<NodeSelectorTerm> terms =
        affinity
            .getNodeAffinity()
            .getRequiredDuringSchedulingIgnoredDuringExecution()
            .getNodeSelectorTerms();
    assertThat(terms).as("the user's alternatives, each with our exclusion").hasSize(2);
    assertThat(terms)
        .allSatisfy(
            term ->
                assertThat(term.getMatchExpressions())
                    .anyMatch(e -> excludes(e, faulty))
                    .hasSize(2));
    assertThat(terms)
        .extracting(t -> t.getMatchExpressions().getFirst().getKey())
        .containsExactly("kubernetes.io/os", "kubernetes.io/arch");
    assertThat(plan.preferredTopology()).containsKey(TOPOLOGY);
    assertThat(affinity.getNodeAffinity().getPreferredDuringSchedulingIgnoredDuringExecution())
        .as("near the nodes that stay")
        .anySatisfy(
            preference ->
                assertThat(preference.getPreference().getMatchExpressions())
                    .anySatisfy(
                        e -> {
                          assertThat(e.getKey()).isEqualTo(TOPOLOGY);
                          assertThat(e.getValues())
                              .containsExactlyInAnyOrderElementsOf(
                                  plan.preferredTopology().get(TOPOLOGY));
                        }));
    assertThat(affinity.getPodAntiAffinity()).as("the user's own anti-affinity").isNotNull();
  }

  private static boolean excludes(NodeSelectorRequirement requirement, String node) {
    return requirement.getKey().equals(HOSTNAME)
        && requirement.getOperator().equals("NotIn")
        && requirement.getValues().equals(List.of(node));
  }
}
