package dev.rekindle.controller.kubernetes.convert;

import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.JOB;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.ORDER;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.PLAIN;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.after;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.at;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.template;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.ResumeOrder;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How a resume takes pods to nodes, and keeps them off. */
class ResumePatchAffinityTest {
  private static List<?> terms(Object template) {
    Object terms =
        at(
            template,
            "spec",
            "affinity",
            "nodeAffinity",
            "requiredDuringSchedulingIgnoredDuringExecution",
            "nodeSelectorTerms");
    return terms instanceof List<?> list ? list : List.of();
  }

  private static Map<String, Object> exclusion(String... hosts) {
    return Map.of("key", "kubernetes.io/hostname", "operator", "NotIn", "values", List.of(hosts));
  }

  @Test
  void shouldExcludeNodesInEveryTermThatCanMatch() {
    Map<String, @Nullable Object> job = after(Jobs.raw(JOB), ORDER);
    List<?> terms = terms(template(job, "Master"));
    assertThat(at(terms, 0, "matchExpressions", 1)).isEqualTo(exclusion("node-1", "node-2"));
    assertThat(at(terms, 1, "matchExpressions", 0)).isEqualTo(exclusion("node-1", "node-2"));
    assertThat(at(terms, 1, "matchFields", 0, "key")).isEqualTo("metadata.name");
    assertThat(terms.get(2)).as("matches nothing, and must go on to").isEqualTo(Map.of());
    assertThat(terms(template(job, "Worker")))
        .isEqualTo(List.of(Map.of("matchExpressions", List.of(exclusion("node-1", "node-2")))));
  }

  @Test
  void shouldPreferTopologyBesideWhatTheUserPrefers() {
    Map<String, @Nullable Object> job = after(Jobs.raw(JOB), ORDER);
    Object preferred =
        at(
            template(job, "Master"),
            "spec",
            "affinity",
            "nodeAffinity",
            "preferredDuringSchedulingIgnoredDuringExecution");
    assertThat(at(preferred, 0, "weight")).isEqualTo(5);
    assertThat(at(preferred, 1, "weight")).isEqualTo(100);
    assertThat(at(preferred, 1, "preference", "matchExpressions", 0))
        .isEqualTo(exclusion("node-4"));
    assertThat(at(preferred, 2, "preference", "matchExpressions", 0))
        .isEqualTo(
            Map.of("key", "fabric/leaf", "operator", "In", "values", List.of("leaf-0", "leaf-1")));
    assertThat(at(preferred, 3, "preference", "matchExpressions", 0, "key"))
        .isEqualTo("fabric/pod");
    assertThat((int) at(preferred, 2, "weight") + (int) at(preferred, 3, "weight"))
        .as("a node that is avoided does not win by being near")
        .isLessThan(100);
  }

  @Test
  void shouldGiveNearnessAllItsWeightWhereNoNodeIsAvoided() {
    ResumeOrder near =
        new ResumeOrder(
            "r",
            "r-1",
            List.of(),
            List.of(),
            Map.of("fabric/leaf", List.of("leaf-0")),
            List.of(),
            null,
            null,
            "",
            "x");
    assertThat(
            at(
                template(after(Jobs.raw(JOB), near), "Worker"),
                "spec",
                "affinity",
                "nodeAffinity",
                "preferredDuringSchedulingIgnoredDuringExecution",
                0,
                "weight"))
        .isEqualTo(100);
  }

  @Test
  void shouldReplaceExactlyWhatWasAddedLastTime() {
    ResumeOrder other =
        new ResumeOrder(
            "r",
            "r-2",
            List.of("node-3"),
            List.of("node-5", "node-6"),
            Map.of("fabric/leaf", List.of("leaf-9")),
            List.of(),
            null,
            null,
            "",
            "x");
    Map<String, @Nullable Object> direct = after(Jobs.raw(JOB), other);
    Map<String, @Nullable Object> replaced = after(after(Jobs.raw(JOB), ORDER), other);
    assertThat(at(template(replaced, "Master"), "spec", "affinity"))
        .isEqualTo(at(template(direct, "Master"), "spec", "affinity"));
    assertThat(at(template(replaced, "Worker"), "spec", "affinity"))
        .isEqualTo(at(template(direct, "Worker"), "spec", "affinity"));
  }

  @Test
  void shouldLeaveTheAffinityAsTheUserWroteItWhenNothingIsExcludedAnyMore() {
    Map<String, @Nullable Object> job = after(after(Jobs.raw(JOB), ORDER), PLAIN);
    Map<String, @Nullable Object> given = Jobs.raw(JOB);
    assertThat(at(template(job, "Master"), "spec", "affinity"))
        .isEqualTo(at(template(given, "Master"), "spec", "affinity"));
    assertThat(at(template(job, "Worker"), "spec", "affinity")).isEqualTo("absent");
    assertThat(Jobs.json(at(job, "metadata", "annotations")))
        .doesNotContain("excluded-nodes", "avoided-nodes", "preferred-topology", "suspended-by");
  }

  @Test
  void shouldTakePodsToPlannedNodesAndLeaveNoTraceOnceThatIsTakenBack() {
    Map<String, @Nullable Object> given = Jobs.raw(JOB);
    Map<String, @Nullable Object> planned =
        MergePatchTest.applied(given, ResumePatch.planned(given, List.of("node-7", "node-9")));

    assertThat(Jobs.json(at(template(planned, "Worker"), "spec", "affinity")))
        .contains("\"In\"", "node-7", "node-9", "100");
    assertThat(at(template(planned, "Master"), "spec", "futureField")).isEqualTo(7);
    assertThat(Jobs.json(at(planned, "metadata", "annotations")))
        .contains("rekindle.dev/planned-nodes", "node-7,node-9");
    Map<String, @Nullable Object> back =
        MergePatchTest.applied(planned, ResumePatch.planned(planned, List.of()));
    assertThat(back).isEqualTo(given);
  }

  @Test
  void shouldNotKeepPodsOffANodeThatIsPlanned() {
    Map<String, @Nullable Object> rebuilt = after(Jobs.raw(JOB), ORDER);

    Map<String, @Nullable Object> planned =
        MergePatchTest.applied(rebuilt, ResumePatch.planned(rebuilt, List.of("node-1")));

    assertThat(at(terms(template(planned, "Worker")), 0, "matchExpressions"))
        .isEqualTo(List.of(exclusion("node-2")));
  }

  @Test
  void shouldKeepAnExclusionOfTheUserThatIsLikeOurs() {
    String excluded =
        JOB.replace(
            "[{key: gpu, operator: In, values: [h200]}]",
            "[{key: kubernetes.io/hostname, operator: NotIn, values: [node-1, node-2]}]");
    Map<String, @Nullable Object> job = after(after(Jobs.raw(excluded), ORDER), PLAIN);
    assertThat(at(terms(template(job, "Master")), 0, "matchExpressions"))
        .isEqualTo(List.of(exclusion("node-1", "node-2")));
  }

  private static String affinity(Map<String, @Nullable Object> job, String type) {
    return Jobs.json(at(template(job, type), "spec", "affinity"));
  }

  /** What rank 0 has saved on the disk of its node is of no use to the others. */
  @Test
  void shouldTakeTheMasterAloneToANodeKeepTheOthersOffItAndTakeThatBack() {
    ResumeOrder order =
        new ResumeOrder(
            "r",
            "r-1",
            List.of(),
            List.of("node-4", "node-7"),
            Map.of(),
            List.of("node-7"),
            true,
            null,
            null,
            "",
            "x");
    Map<String, @Nullable Object> given = Jobs.raw(JOB);
    Map<String, @Nullable Object> job = after(given, order);
    String in = "\"operator\":\"In\",\"values\":[\"node-7\"]";
    String notIn = "\"operator\":\"NotIn\",\"values\":[\"node-4\",\"node-7\"]";

    assertThat(affinity(job, "Master")).contains(in).doesNotContain(notIn);
    assertThat(affinity(job, "Worker")).contains(notIn).doesNotContain(in);
    assertThat(affinity(after(job, order), "Worker")).isEqualTo(affinity(job, "Worker"));

    Map<String, @Nullable Object> back =
        MergePatchTest.applied(job, ResumePatch.planned(job, List.of()));
    assertThat(affinity(back, "Master")).contains(notIn).doesNotContain(in);
    assertThat(affinity(back, "Worker")).contains(notIn);
    assertThat(Jobs.json(at(back, "metadata", "annotations"))).doesNotContain("planned");
    Map<String, @Nullable Object> next = after(job, PLAIN);
    assertThat(affinity(next, "Master")).isEqualTo(affinity(given, "Master"));
    assertThat(affinity(next, "Worker")).isEqualTo(affinity(given, "Worker"));
    assertThat(Jobs.json(at(next, "metadata", "annotations"))).doesNotContain("planned");
  }

  @Test
  void shouldTakeThePodsToTheNodesThatHaveTheirCheckpoint() {
    ResumeOrder order =
        new ResumeOrder(
            "r", "r-1", List.of(), List.of(), Map.of(), List.of("node-1"), null, null, "", "x");
    Map<String, @Nullable Object> job = after(Jobs.raw(JOB), order);

    assertThat(Jobs.json(at(template(job, "Worker"), "spec", "affinity")))
        .contains("\"operator\":\"In\",\"values\":[\"node-1\"]");
    assertThat(at(job, "metadata", "annotations", "rekindle.dev/planned-nodes"))
        .isEqualTo("node-1");
  }
}
