package dev.rekindle.controller.kubernetes.convert;

import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.JOB;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.ORDER;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.PLAIN;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.after;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.at;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.template;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.ResumeOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ResumePatchTest {
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
  void shouldNameTheObjectItWasMadeFromAndLiftTheSuspensionInTheSameWrite() {
    Map<String, @Nullable Object> patch = ResumePatch.of(Jobs.raw(JOB), ORDER);
    assertThat(at(patch, "metadata", "resourceVersion")).isEqualTo("42");
    assertThat(at(patch, "metadata", "uid")).isEqualTo("u1");
    assertThat(at(patch, "spec", "runPolicy")).isEqualTo(Map.of("suspend", false));
    assertThat(Jobs.json(patch)).contains("\"rekindle.dev/suspended-by\":null");
    Map<String, @Nullable Object> job = after(Jobs.raw(JOB), ORDER);
    assertThat(at(job, "metadata", "annotations", "rekindle.dev/excluded-nodes"))
        .isEqualTo("node-1,node-2");
    assertThat(at(job, "metadata", "annotations", "team/x")).isEqualTo("keep");
  }

  @Test
  void shouldPutTheAttemptOnEveryTemplateAndCarryOtherAnnotationsOver() {
    Map<String, @Nullable Object> job = after(Jobs.raw(JOB), ORDER);
    assertThat(at(template(job, "Worker"), "metadata", "annotations"))
        .isEqualTo(
            Map.of(
                "rekindle.dev/marks-of",
                "u1",
                "rekindle.dev/attempt",
                "mnist-r1-1",
                "rekindle.dev/resume-from",
                "/ckpt/step-00000050.pt",
                "rekindle.dev/resume-step",
                "50",
                "rekindle.dev/resume-attempt",
                "mnist-r1-1",
                "rekindle.dev/resume-reason",
                "XID-79"));
    assertThat(
            JsonTree.cast(
                Objects.requireNonNull(at(template(job, "Master"), "metadata", "annotations"))))
        .containsAllEntriesOf(
            Map.of(
                "rekindle.dev/attempt",
                "mnist-r1-1",
                "ipam.spidernet.io/subnet",
                "{\"interface\":\"eth0\"}",
                "k8s.v1.cni.cncf.io/networks",
                "spider/roce0",
                "v1.multus-cni.io/default-network",
                "spider/ovs"));
  }

  @Test
  void shouldInjectInContainerPytorchOnly() {
    Map<String, @Nullable Object> job = after(Jobs.raw(JOB), ORDER);
    Object containers = at(template(job, "Master"), "spec", "containers");
    assertThat(at(containers, 0, "env", 0, "value")).isEqualTo("not ours");
    assertThat(Jobs.json(at(containers, 1, "env")))
        .isEqualTo(
            """
            [{"name":"A","value":"1"},\
            {"name":"REKINDLE_RESUME_FROM",%s-from']"}}},\
            {"name":"B","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},\
            {"name":"REKINDLE_RESUME_STEP",%s-step']"}}},\
            {"name":"REKINDLE_RESUME_FORMAT",%s-format']"}}},\
            {"name":"REKINDLE_ATTEMPT",%s-attempt']"}}},\
            {"name":"REKINDLE_RESUME_REASON",%s-reason']"}}}]\
            """
                .replace(
                    "%s",
                    "\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.annotations['rekindle.dev/resume"));
    assertThat(at(containers, 1, "futureContainerField", "a")).isEqualTo(List.of(1, 2));
    assertThat(at(template(job, "Worker"), "spec", "containers", 0, "env", 0, "name"))
        .isEqualTo("REKINDLE_RESUME_FROM");
  }

  @Test
  void shouldTakeBackTheFormerCheckpointWhenNoneIsPinned() {
    Map<String, @Nullable Object> byValue = after(Jobs.raw(JOB), PLAIN);
    assertThat(Jobs.json(template(byValue, "Master"))).doesNotContain("/old");
    Map<String, @Nullable Object> job = after(after(Jobs.raw(JOB), ORDER), PLAIN);
    assertThat(Jobs.json(template(job, "Master")))
        .as("a variable without its annotation is empty")
        .doesNotContain("resume-from\":", "resume-step\":", "/ckpt")
        .contains("mnist-r1-2", "Stalled");
  }

  @Test
  void shouldTakeBackWhatTemplatesInjectAndNothingElse() {
    Map<String, @Nullable Object> pinned = after(Jobs.raw(JOB), ORDER);
    Map<String, @Nullable Object> patch = ResumePatch.cleared(pinned);
    assertThat(Jobs.json(at(patch, "spec")))
        .isEqualTo(
            """
            {"pytorchReplicaSpecs":{"Master":{"template":{"metadata":{"annotations":\
            {"rekindle.dev/resume-from":null,"rekindle.dev/resume-step":null}}}},\
            "Worker":{"template":{"metadata":{"annotations":\
            {"rekindle.dev/resume-from":null,"rekindle.dev/resume-step":null}}}}}}\
            """);
    assertThat(at(patch, "metadata")).isEqualTo(Map.of("resourceVersion", "42", "uid", "u1"));
  }

  @Test
  void shouldNotInjectTheCheckpointWhenTheScriptAskedForNone() {
    String silent = JOB.replace("team/x: keep", "rekindle.dev/resume: none");
    assertThat(Jobs.json(after(Jobs.raw(silent), ORDER)))
        .doesNotContain("REKINDLE_RESUME_FROM", "REKINDLE_RESUME_STEP");
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
            null,
            null,
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
            null,
            null,
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

  @Test
  void shouldChangeNothingWhenAppliedTwiceAndKeepAllElse() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      Map<String, @Nullable Object> job = Jobs.raw(JOB);
      for (int i = 0; i < 3; i++) {
        ResumeOrder order = order(random);
        Map<String, @Nullable Object> once = after(job, order);
        assertThat(after(once, order)).as("seed %d", seed).isEqualTo(once);
        assertThat(MergePatch.between(once, after(once, order))).isEmpty();
        job = once;
      }
      Map<String, @Nullable Object> last = after(job, PLAIN);
      Map<String, @Nullable Object> direct = after(Jobs.raw(JOB), PLAIN);
      assertThat(last).as("seed %d: nothing of former attempts is left", seed).isEqualTo(direct);
      assertThat(at(last, "spec", "newField", "of")).isEqualTo("a newer operator");
      assertThat(at(template(last, "Master"), "spec", "futureField")).isEqualTo(7);
    }
  }

  private static ResumeOrder order(Random random) {
    List<String> excluded = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      excluded.add("node-" + i + random.nextInt(3));
    }
    Map<String, List<String>> topology =
        random.nextBoolean() ? Map.of() : Map.of("fabric/leaf", List.of("l" + random.nextInt(3)));
    boolean pinned = random.nextBoolean();
    return new ResumeOrder(
        "r",
        "r-" + random.nextInt(5),
        excluded,
        random.nextBoolean() ? List.of() : List.of("node-" + random.nextInt(3)),
        topology,
        pinned ? "/ckpt/step-" + random.nextInt(9) : null,
        pinned ? (long) random.nextInt(9) : null,
        "cause");
  }
}
