package dev.rekindle.simulator.replay;

import static dev.rekindle.simulator.replay.ReplayCommandTest.Run;
import static dev.rekindle.simulator.replay.ReplayCommandTest.run;
import static dev.rekindle.simulator.replay.ReplayCommandTest.trace;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Command lines and traces that are refused. */
class ReplayRefusalsTest {

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      value = {
        "--json => which trace?",
        "a.csv b.csv => unexpected argument 'b.csv'",
        "a.csv --generate llama3 => one trace at a time",
        "a.csv --what => unknown option '--what'",
        "a.csv --job-nodes => missing required parameter for option '--job-nodes'",
        "a.csv --job-nodes x => option '--job-nodes': 'x' is not a whole number",
        "a.csv --job-nodes=0 => --job-nodes is 0, not from 1 to 10000",
        "a.csv --days -1 => --days is -1.0, not above 0",
        "a.csv --days NaN => --days is NaN, not above 0",
        "a.csv --days x => option '--days': 'x' is not a number",
        "a.csv --step=0 => --step is 0 s, not from 0.1 s to 100 d",
        "a.csv --step 1h => --checkpoint-interval is shorter than --step",
        "a.csv --checkpoint-write 20m => --stall must be longer than --checkpoint-write",
        "a.csv --notice soon => option '--notice': 'soon' is no duration",
        "a.csv --unknown taken-away => option '--unknown': no such kind of fault",
        "a.csv --curve 1h,,2h => --curve: '' is no duration",
        "--generate acme => the only mix to generate is llama3",
        "llama3 --gpus 100000 => 12500 nodes are more than 10000",
        "llama3 --gpus 8 --spares 10000 => a fleet of 10001 nodes is more than 10000",
        "none.csv => none.csv cannot be read: no such file",
        "llama3 --svg /none/such/p.svg => no folder /none/such to write the picture to",
      })
  void shouldRefuseWhatMakesNoSense(String args, String why) {
    Run run = run(args.split(" "));
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith("rekindle replay: ").contains(why).hasLineCount(2);
  }

  @Test
  void shouldRefuseATraceThatDoesNotFitTheFleet(@TempDir Path folder) throws IOException {
    Run run = run(trace(folder), "--job-nodes", "1", "--spares", "1");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("the trace has faults on 3 nodes, the fleet is 2");
  }

  @Test
  void shouldSayWhichLineWhenNoneIsGood(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("bad.csv"),
            "node,start_day,end_day,level,class,description\nn,2,1,a,b,c\n");
    Run run = run(file.toString());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("line 2: end_day \"1\" is before start_day \"2\"");
  }
}
