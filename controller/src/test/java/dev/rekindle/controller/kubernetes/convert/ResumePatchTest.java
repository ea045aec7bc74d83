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

/** What a resume writes into a job beside its affinity. */
class ResumePatchTest {
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
                "rekindle.dev/job-uid",
                "u1",
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
  void shouldNotInjectTheCheckpointWhenTheScriptRequestedNone() {
    String silent = JOB.replace("team/x: keep", "rekindle.dev/resume: none");
    assertThat(Jobs.json(after(Jobs.raw(silent), ORDER)))
        .doesNotContain("REKINDLE_RESUME_FROM", "REKINDLE_RESUME_STEP");
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
        List.of(),
        pinned ? "/ckpt/step-" + random.nextInt(9) : null,
        pinned ? (long) random.nextInt(9) : null,
        "",
        "cause");
  }
}
