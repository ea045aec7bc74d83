package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.controller.checkpoint.CheckpointChoice;
import dev.rekindle.controller.model.Inspection;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class InspectorReportTest {
  private static final String VALID =
      "{\"path\":\"/ckpt/step-00000050.pt\",\"step\":50,\"bytes\":123,"
          + "\"modified\":\"2026-01-01T00:00:00Z\",\"verdict\":\"valid\",\"level\":\"L3\",\"reason\":\"\"}";

  private static String line(int scan, String checkpoints) {
    return "{\"scan\":%d,\"began\":\"x\",\"dir\":\"/ckpt\",\"checkpoints\":[%s],\"error\":\"\"}"
        .formatted(scan, checkpoints);
  }

  private static Optional<Inspection.Report> read(String tail) {
    return new InspectorReport(new KubernetesSerialization()).newest(tail, "/ckpt");
  }

  @Test
  void shouldTakeTheNewestCompleteLine() {
    String tail =
        line(6, VALID)
            + "\n"
            + line(7, VALID)
            + "\nwarning: [x]\n"
            + line(8, VALID).substring(0, 40);
    assertThat(read(tail))
        .contains(
            new Inspection.Report(
                7,
                java.util.List.of(
                    new Inspection.Checkpoint(
                        "/ckpt/step-00000050.pt",
                        50,
                        123,
                        Instant.parse("2026-01-01T00:00:00Z"),
                        "valid",
                        "L3",
                        "")),
                ""));
  }

  @Test
  void shouldTakeAWordThatItDoesNotKnowForUnknownAndNotLeaveItOut() {
    String line = line(1, VALID.replace("\"valid\"", "\"perfect\""));
    assertThat(read(line).orElseThrow().checkpoints())
        .extracting(Inspection.Checkpoint::verdict)
        .containsExactly("Unknown");
  }

  @Test
  void shouldPassOverWhatTheJobCannotLoad() {
    String fits = VALID.replace("{", "{\"ranks\":8,").replace("50", "40");
    String tooMany = VALID.replace("{", "{\"ranks\":16,");
    Inspection.Report report = read(line(1, tooMany + "," + fits)).orElseThrow();
    PinnedCheckpoint pin = CheckpointChoice.from(report.forGpus(8));
    assertThat(pin.step()).isEqualTo(40);
    assertThat(pin.message())
        .contains("passed over step 50 unknown (it is of 16 ranks, and the job has 8 GPUs)");
    assertThat(CheckpointChoice.from(report.forGpus(16)).step()).isEqualTo(50);
    assertThat(CheckpointChoice.from(report.forGpus(0)).step()).isEqualTo(50);
  }

  @Test
  void shouldTakeNoNumberOfRanksBelowNone() {
    String odd = VALID.replace("{", "{\"ranks\":-3,");
    assertThat(read(line(1, odd)).orElseThrow().checkpoints().getFirst().ranks()).isZero();
  }

  @Test
  void shouldTakeTheNameOfAFormatAndNoOther() {
    String known = VALID.replace("{", "{\"format\":\"dcp\",");
    String other = VALID.replace("{", "{\"format\":\"$(x)\",").replace("50", "40");
    assertThat(read(line(1, known + "," + other)).orElseThrow().checkpoints())
        .extracting(Inspection.Checkpoint::format)
        .containsExactly("dcp", "");
  }

  @Test
  void shouldPutTheNewestStepFirst() {
    String older = VALID.replace("50", "40").replace("\"valid\"", "\"torn\"");
    assertThat(read(line(1, older + "," + VALID)).orElseThrow().checkpoints())
        .extracting(Inspection.Checkpoint::step)
        .containsExactly(50L, 40L);
  }

  static Stream<Arguments> disbelieved() {
    return Stream.of(
        argumentSet("another directory", VALID.replace("/ckpt/", "/other/")),
        argumentSet("climbing out", VALID.replace("/ckpt/", "/ckpt/../etc/")),
        argumentSet("the directory itself", VALID.replace("step-00000050.pt", "")),
        argumentSet("control character", VALID.replace("step-", "step\\u000a")),
        argumentSet("endless path", VALID.replace("step-", "s".repeat(2_000))),
        argumentSet("step before the first", VALID.replace("\"step\":50", "\"step\":-1")),
        argumentSet("step that is no number", VALID.replace("\"step\":50", "\"step\":\"50\"")),
        argumentSet("no object", "\"/ckpt/step-1.pt\""));
  }

  @ParameterizedTest
  @MethodSource("disbelieved")
  void shouldLeaveOutAnEntryThatMakesNoSense(String entry) {
    assertThat(read(line(3, entry + "," + VALID)).orElseThrow().checkpoints())
        .extracting(Inspection.Checkpoint::path)
        .containsExactly("/ckpt/step-00000050.pt");
  }

  static Stream<Arguments> noReports() {
    return Stream.of(
        argumentSet("nothing", ""),
        argumentSet("text", "hello"),
        argumentSet("other directory", line(1, VALID).replace("\"/ckpt\"", "\"/other\"")),
        argumentSet("scan zero", line(0, VALID)),
        argumentSet("no list", line(1, VALID).replace("[", "{\"a\":").replace("]", "}")),
        argumentSet("too long", line(1, VALID).replace("\"x\"", "\"" + "x".repeat(20_000) + "\"")),
        argumentSet("deep", "{\"a\":" + "[".repeat(5_000) + "]".repeat(5_000) + "}"),
        argumentSet("other object", "{\"a\":1}"));
  }

  @ParameterizedTest
  @MethodSource("noReports")
  void shouldSeeNoReportInAnythingElse(String tail) {
    assertThat(read(tail)).isEmpty();
  }

  @Test
  void shouldBoundWhatItTakes() {
    String many =
        IntStream.range(0, 90)
            .mapToObj(
                i -> "{\"path\":\"/ckpt/a%d\",\"step\":%d,\"verdict\":\"torn\"}".formatted(i, i))
            .collect(Collectors.joining(","));
    assertThat(read(line(1, many)).orElseThrow().checkpoints()).hasSize(60);
    String chatty = VALID.replace("\"reason\":\"\"", "\"reason\":\"" + "r".repeat(900) + "\"");
    assertThat(read(line(1, chatty)).orElseThrow().checkpoints().getFirst().reason())
        .hasSizeLessThan(300);
  }
}
