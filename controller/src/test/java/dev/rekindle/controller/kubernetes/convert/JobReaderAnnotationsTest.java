package dev.rekindle.controller.kubernetes.convert;

import static dev.rekindle.controller.kubernetes.convert.JobReaderTest.annotated;
import static dev.rekindle.controller.kubernetes.convert.JobReaderTest.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.RestartMode;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the owner of a job requests by annotations. */
class JobReaderAnnotationsTest {

  static Stream<Arguments> optIns() {
    return Stream.of(
        argumentSet("nothing", "", new OptIn.No()),
        argumentSet("true", "rekindle.dev/recover: 'true'", new OptIn.Yes(Mode.AUTO)),
        argumentSet("observe", "rekindle.dev/recover: observe", new OptIn.Yes(Mode.OBSERVE)),
        argumentSet("approve", "rekindle.dev/recover: approve", new OptIn.Yes(Mode.APPROVE)),
        argumentSet("false", "rekindle.dev/recover: 'false'", new OptIn.No()),
        argumentSet(
            "all of them",
            "rekindle.dev/recover: 'true', rekindle.dev/policy: gold.v2, rekindle.dev/checkpoint:"
                + " /c/d/, rekindle.dev/checkpoint-format: dcp, rekindle.dev/resume: none,"
                + " rekindle.dev/stall-timeout: 1h30m, rekindle.dev/step-pattern: 'step (\\d+)'",
            new OptIn.Yes(Mode.AUTO)),
        argumentSet("nonsense without opting in", "rekindle.dev/checkpoint: here", new OptIn.No()));
  }

  @ParameterizedTest
  @MethodSource("optIns")
  void shouldReadWhatTheOwnerWants(String annotations, OptIn expected) {
    assertThat(annotated(annotations).optIn()).isEqualTo(expected);
  }

  static Stream<Arguments> nonsense() {
    return Stream.of(
        argumentSet("recover", "rekindle.dev/recover", "yes please"),
        argumentSet("empty recover", "rekindle.dev/recover", ""),
        argumentSet("policy", "rekindle.dev/policy", "No Such"),
        argumentSet("relative checkpoint", "rekindle.dev/checkpoint", "ckpt"),
        argumentSet("climbing checkpoint", "rekindle.dev/checkpoint", "/ckpt/../etc"),
        argumentSet("root", "rekindle.dev/checkpoint", "/"),
        argumentSet("double slash", "rekindle.dev/checkpoint", "/a//b"),
        argumentSet("dot", "rekindle.dev/checkpoint", "/a/./b"),
        argumentSet("control character", "rekindle.dev/checkpoint", "/a\nb"),
        argumentSet("endless checkpoint", "rekindle.dev/checkpoint", "/" + "a".repeat(2_000)),
        argumentSet("format", "rekindle.dev/checkpoint-format", "zarr"),
        argumentSet("shared", "rekindle.dev/checkpoint-shared", "yes"),
        argumentSet("no bucket", "rekindle.dev/checkpoint", "s3:///run"),
        argumentSet("climbing prefix", "rekindle.dev/checkpoint", "s3://bucket/a/../b"),
        argumentSet("endpoint", "rekindle.dev/checkpoint-endpoint", "ftp://store"),
        argumentSet(
            "keys in the endpoint", "rekindle.dev/checkpoint-endpoint", "https://a:b@store"),
        argumentSet("region", "rekindle.dev/checkpoint-region", "eu/1"),
        argumentSet("Secret of another program", "rekindle.dev/checkpoint-secret", "tls"),
        argumentSet("unreachable", "rekindle.dev/checkpoint-unreachable", "restart"),
        argumentSet("resume", "rekindle.dev/resume", "file"),
        argumentSet("RDMA", "rekindle.dev/require-rdma", "yes"),
        argumentSet("no RDMA", "rekindle.dev/require-rdma", ""),
        argumentSet("restart", "rekindle.dev/restart", "in place"),
        argumentSet("stall without unit", "rekindle.dev/stall-timeout", "10"),
        argumentSet("stall of nothing", "rekindle.dev/stall-timeout", "0s"),
        argumentSet("stall for ever", "rekindle.dev/stall-timeout", "9999h"),
        argumentSet("pattern without group", "rekindle.dev/step-pattern", "step"),
        argumentSet("pattern with two groups", "rekindle.dev/step-pattern", "(a)(b)"),
        argumentSet("back reference", "rekindle.dev/step-pattern", "(a)\\1"),
        argumentSet(
            "pattern that takes all memory",
            "rekindle.dev/step-pattern",
            "((?:(?:(?:x{1000}){1000}){1000}))"),
        argumentSet(
            "pattern that overflows the stack",
            "rekindle.dev/step-pattern",
            "((?:(?:x?){1000}){20}y)"),
        argumentSet("endless pattern", "rekindle.dev/step-pattern", "(" + "a".repeat(300) + ")"));
  }

  @ParameterizedTest
  @MethodSource("nonsense")
  void shouldSayWhichAnnotationMakesNoSense(String key, String value) {
    var job = Jobs.typed("metadata: {name: n, annotations: {rekindle.dev/recover: 'true'}}");
    job.getMetadata().getAnnotations().put(key, value);
    assertThat(JobReader.read(job).optIn())
        .isInstanceOfSatisfying(
            OptIn.Unusable.class,
            unusable ->
                assertThat(unusable.reason())
                    .startsWith("annotation " + key + "=")
                    .hasSizeLessThan(250)
                    .doesNotContain("\n"));
  }

  @Test
  void shouldHonourTheLabelOfKCoverUnlessSetOtherwise() {
    String label = "labels: {kcover.io/cascading-recovery: 'true'}";
    assertThat(read(label, "", "").optIn()).isEqualTo(new OptIn.Yes(Mode.AUTO));
    assertThat(read(label + ", annotations: {rekindle.dev/recover: 'false'}", "", "").optIn())
        .isEqualTo(new OptIn.No());
  }

  @Test
  void shouldReadAnnotationsIntoTheirFields() {
    JobView job =
        annotated(
            "rekindle.dev/policy: gold, rekindle.dev/checkpoint: /ckpt/run/, rekindle.dev/resume:"
                + " none, rekindle.dev/stall-timeout: 90s, rekindle.dev/suspended-by: mnist-r1,"
                + " rekindle.dev/job-uid: u1");
    assertThat(job.policy()).isEqualTo("gold");
    assertThat(job.checkpointDir()).isEqualTo("/ckpt/run");
    assertThat(job.resumeByEnv()).isFalse();
    assertThat(job.stallTimeout()).isEqualTo(Duration.ofSeconds(90));
    assertThat(job.suspendedBy()).isEqualTo("mnist-r1");
  }

  @Test
  void shouldReadWhetherAGangHasToBeOnRdma() {
    assertThat(annotated("rekindle.dev/require-rdma: 'true'").requiresRdma()).isTrue();
    assertThat(annotated("rekindle.dev/require-rdma: 'false'").requiresRdma()).isFalse();
    assertThat(annotated("").requiresRdma()).isFalse();
  }

  @Test
  void shouldReadHowAGangMayBeBroughtBack() {
    JobView plain = annotated("");
    JobView set = annotated("rekindle.dev/restart: inPlace");
    JobView limited = read("", "runPolicy: {backoffLimit: 3}", "");

    assertThat(plain.restart()).isNull();
    assertThat(plain.backoffLimit()).isNull();
    assertThat(set.restart()).isEqualTo(RestartMode.IN_PLACE);
    assertThat(limited.backoffLimit()).isEqualTo(3);
  }
}
