package dev.rekindle.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.cli.CommandTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayCommandTest {
  static final String TRACE =
      """
      node,start_day,end_day,level,class,description,source
      a,0.5,1,Hardware Failure,GPU,GPU Lost,x
      b,1.2,1.9,Hardware Failure,NIC,NIC Lost,x
      c,2,1,Hardware Failure,GPU,GPU Lost,x
      c,1.5,1.8,Hardware Failure,CPU,MCE,x
      """;

  /** What a run of the command left behind. */
  record Run(int code, String out, String err) {}

  static Run run(boolean terminal, List<String> args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
    PrintStream errors = new PrintStream(err, true, StandardCharsets.UTF_8);
    int code = CommandTree.run(new ReplayCommand(print, errors, terminal), args, print, errors);
    return new Run(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  static Run run(String... args) {
    return run(false, List.of(args));
  }

  static String trace(Path folder) throws IOException {
    return Files.writeString(folder.resolve("t.csv"), TRACE).toString();
  }

  private static List<String> small(String trace, String... more) {
    List<String> args =
        new ArrayList<>(
            List.of(trace, "--job-nodes", "3", "--spares", "2", "--curve", "none", "--days", "3"));
    args.addAll(List.of(more));
    return args;
  }

  @Test
  void shouldPutTheAssumptionsBesideTheFigures(@TempDir Path folder) throws IOException {
    Run run = run(false, small(trace(folder)));
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .contains("Replay of t.csv: 3.0 days, 5 nodes of 8 GPUs, a job on 3 of them (24 GPUs)")
        .contains("Trace: 3 good rows, 1 left out")
        .contains("left out: line 4: end_day \"1\" is before start_day \"2\"")
        .contains("every 30 min of training, written in 3 s")
        .contains("Badput by Google's buckets, GPU-hours: infrastructure recovery ")
        .contains("Checkpoints: ")
        .contains("a person", "unattended", "ETTR", "This is an assumption, not a measurement");
  }

  @Test
  void shouldWriteForMachines(@TempDir Path folder) throws IOException {
    Run run = run(false, small(trace(folder), "--json", "--curve", "0,2h"));
    JsonNode json = new ObjectMapper().readTree(run.out());
    assertThat(json.at("/assumptions/checkpointIntervalSeconds").asInt()).isEqualTo(1800);
    assertThat(json.at("/trace/leftOut").asInt()).isEqualTo(1);
    assertThat(json.at("/rekindle/badputGpuHours").size()).isEqualTo(4);
    assertThat(json.at("/rekindle/checkpointAdvice/intervalSeconds").asInt()).isEqualTo(1800);
    assertThat(json.at("/person/checkpointAdvice").has("bestIntervalSeconds")).isTrue();
    assertThat(json.at("/curve").size()).isEqualTo(2);
    double ettr = json.at("/rekindle/ettr").asDouble();
    assertThat(ettr).isBetween(0.9, 1.0);
    assertThat(json.at("/person/ettr").asDouble()).isLessThanOrEqualTo(ettr);
    double lost = json.at("/rekindle/lostGpuHours/total").asDouble();
    double parts =
        json.at("/rekindle/lostGpuHours/stepsMadeAgain").asDouble()
            + json.at("/rekindle/lostGpuHours/down").asDouble()
            + json.at("/rekindle/lostGpuHours/waitingForNodes").asDouble()
            + json.at("/rekindle/lostGpuHours/writingCheckpoints").asDouble();
    assertThat(parts).isCloseTo(lost, org.assertj.core.api.Assertions.within(0.01));
  }

  @Test
  void shouldMakeTheSameBytesOfTheSameSeed(@TempDir Path folder) throws IOException {
    String trace = trace(folder);
    Path picture = folder.resolve("p.svg");
    Run one = run(false, small(trace, "--svg", picture.toString(), "--json"));
    String first = Files.readString(picture);
    Run other = run(false, small(trace, "--svg", picture.toString(), "--json"));
    assertThat(other).isEqualTo(one);
    assertThat(Files.readString(picture)).isEqualTo(first).startsWith("<svg ");
  }

  @Test
  void shouldShowProgressOnATerminalOnly(@TempDir Path folder) throws IOException {
    Run run = run(true, small(trace(folder)));
    assertThat(run.err()).contains("of 9 days").contains("days/s").endsWith("\r");
    assertThat(run.out()).isEqualTo(run(false, small(trace(folder))).out()).doesNotContain("\r");
  }

  @Test
  void shouldPrintAGeneratedTraceThatItCanReplay(@TempDir Path folder) throws IOException {
    Run generated = run("--generate", "llama3", "--gpus", "4096", "--days", "9", "--seed", "5");
    assertThat(generated.code()).isZero();
    assertThat(generated.out().lines().count()).isGreaterThan(5);
    assertThat(run("--generate", "llama3", "--gpus", "4096", "--days", "9", "--seed", "5"))
        .isEqualTo(generated);
    Path file = Files.writeString(folder.resolve("g.csv"), generated.out());
    Run replayed = run(file.toString(), "--job-nodes", "20", "--spares", "20", "--curve", "none");
    assertThat(replayed.err()).isEmpty();
    assertThat(replayed.code()).isZero();
  }

  @Test
  void shouldGenerateAndReplayAtOnce() {
    Run run = run("llama3", "--gpus", "128", "--days", "10", "--curve", "none");
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("Replay of llama3: 10.0 days, 18 nodes of 8 GPUs");
  }

  @Test
  void shouldTakeValuesInBothFormsInEveryGroup(@TempDir Path folder) throws IOException {
    String trace = trace(folder);
    Run spaced =
        run(false, small(trace, "--json", "--step", "5s", "--respond", "2h", "--unknown", "crash"));
    Run joined = run(false, small(trace, "--json", "--step=5s", "--respond=2h", "--unknown=crash"));
    assertThat(joined).isEqualTo(spaced);
    JsonNode assumptions = new ObjectMapper().readTree(joined.out()).at("/assumptions");
    assertThat(assumptions.at("/stepSeconds").asInt()).isEqualTo(5);
    assertThat(assumptions.at("/checkpointIntervalSeconds").asInt()).isEqualTo(1800);
    assertThat(assumptions.at("/respondSeconds").asInt()).isEqualTo(7200);
    assertThat(assumptions.at("/noticeSeconds").asInt()).isEqualTo(900);
  }

  @Test
  void shouldSayHowItIsUsed() {
    Run run = run("--help");
    assertThat(run.code()).isZero();
    assertThat(run.out()).startsWith("Usage: rekindle replay [OPTIONS] [TRACE]\n");
  }
}
