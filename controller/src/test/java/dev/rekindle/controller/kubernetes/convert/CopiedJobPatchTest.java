package dev.rekindle.controller.kubernetes.convert;

import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.JOB;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.ORDER;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.PLAIN;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.after;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.at;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.template;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A job that carries the annotations of the one it was copied from. */
class CopiedJobPatchTest {
  private static Map<String, @Nullable Object> copied(Map<String, @Nullable Object> job) {
    Map<String, @Nullable Object> copy = JsonTree.copy(job);
    JsonTree.child(copy, "metadata").put("uid", "u2");
    JsonTree.child(copy, "metadata").put("name", "copy");
    return copy;
  }

  @Test
  void shouldRemoveTheAnnotationsOfAnotherJobInTheWriteThatSuspends() {
    Map<String, @Nullable Object> copy = copied(after(Jobs.raw(JOB), ORDER));

    Map<String, @Nullable Object> suspended =
        MergePatchTest.applied(copy, ResumePatch.suspended(copy, "copy-r1"));

    assertThat(Jobs.json(suspended)).doesNotContain("mnist-r1", "/ckpt", "node-1", "leaf-0");
    assertThat(at(suspended, "metadata", "annotations"))
        .isEqualTo(
            Map.of(
                "rekindle.dev/recover",
                "true",
                "rekindle.dev/suspended-by",
                "copy-r1",
                "rekindle.dev/job-uid",
                "u2",
                "rekindle.dev/marks-of",
                "u2",
                "team/x",
                "keep"));
    assertThat(at(suspended, "spec", "runPolicy", "suspend")).isEqualTo(true);
    assertThat(at(template(suspended, "Master"), "spec", "affinity"))
        .isEqualTo(at(template(Jobs.raw(JOB), "Master"), "spec", "affinity"));
  }

  @Test
  void shouldSuspendWithAPatchOfNothingElseWhereAllAnnotationsAreItsOwn() {
    Map<String, @Nullable Object> job = after(Jobs.raw(JOB), ORDER);

    assertThat(Jobs.json(ResumePatch.suspended(job, "mnist-r2")))
        .isEqualTo(
            "{\"metadata\":{\"annotations\":{\"rekindle.dev/suspended-by\":\"mnist-r2\"},"
                + "\"resourceVersion\":\"42\",\"uid\":\"u1\"},"
                + "\"spec\":{\"runPolicy\":{\"suspend\":true}}}");
  }

  @Test
  void shouldResumeACopyAsIfItHadNeverBeenMarked() {
    Map<String, @Nullable Object> fresh = Jobs.raw(JOB);
    Map<String, @Nullable Object> copy = copied(after(Jobs.raw(JOB), ORDER));

    assertThat(at(after(copy, PLAIN), "spec", "pytorchReplicaSpecs", "Worker", "template", "spec"))
        .isEqualTo(
            at(after(fresh, PLAIN), "spec", "pytorchReplicaSpecs", "Worker", "template", "spec"));
    assertThat(Jobs.json(after(copy, PLAIN))).doesNotContain("/ckpt", "node-1", "leaf-0");
  }
}
