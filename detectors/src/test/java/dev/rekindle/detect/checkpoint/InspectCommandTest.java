package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.cli.CommandTree;
import dev.rekindle.detect.checkpoint.dcp.DcpFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InspectCommandTest {
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path directory;

  private record Run(int code, String out, String err) {}

  private Run run(String... args) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var command =
        new InspectCommand(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            InstantSource.fixed(THEN.plusSeconds(3_600)));
    var code =
        CommandTree.run(
            command,
            List.of(args),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    return new Run(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  @BeforeEach
  void save() throws IOException {
    for (int step = 10; step <= 30; step += 10) {
      DcpFixture.write(directory.resolve("step-" + step), 2, 3, 1000, THEN);
    }
    DcpFixture.file(directory.resolve("step-30/__1_0.distcp"), new byte[20], THEN);
  }

  @Test
  void shouldPrintATableWithTheOneThatWouldBeResumedFrom() {
    var run = run(directory.toString());
    assertThat(run.code()).isZero();
    assertThat(run.out().lines().map(line -> line.replaceAll(" {2,}", "|")).toList())
        .containsExactly(
            "|STEP|FORMAT|SIZE|AGE|VERDICT|LEVEL|PATH|REASON",
            "|30|dcp|3.8 KiB|59m59s|Torn|L3|step-30|__1_0.distcp has 20 bytes, .metadata says 3000",
            "->|20|dcp|6.7 KiB|59m59s|Valid|L3|step-20",
            "|10|dcp|6.7 KiB|59m59s|Valid|L3|step-10",
            "resume from step 20: newest valid one; passed over step 30 torn (__1_0.distcp has 20"
                + " bytes, .metadata says 3000)");
  }

  @Test
  void shouldRefuseANumberOfGpusBelowNone() {
    var run = run("--gpus", "-1", directory.toString());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("--gpus is below 0");
    assertThat(run("--gpus", "many", directory.toString()).code()).isEqualTo(2);
  }

  @Test
  void shouldPrintOneObject() throws IOException {
    var run = run("--json", "--format", "dcp", directory.toString());
    assertThat(run.code()).isZero();
    var json = read(run);
    assertThat(json.get("checkpoints")).hasSize(3);
    assertThat(json.get("chosen")).isEqualTo(json.get("checkpoints").get(1));
    var torn = json.get("checkpoints").get(0);
    assertThat(torn.get("step").asLong()).isEqualTo(30);
    assertThat(torn.get("path").asText()).isEqualTo(directory + "/step-30");
    assertThat(torn.get("format").asText()).isEqualTo("dcp");
    assertThat(torn.get("verdict").asText()).isEqualTo("Torn");
    assertThat(torn.get("level").asText()).isEqualTo("L3");
    assertThat(torn.get("reason").asText()).contains("20 bytes");
  }

  private static JsonNode read(Run run) throws IOException {
    return new ObjectMapper().readTree(run.out());
  }

  @Test
  void shouldChooseNothingWhereNothingIsKnown() throws IOException {
    var last = directory.resolve("last.pt");
    DcpFixture.file(last, Fixtures.torchSave(), THEN.plus(Duration.ofHours(1)));
    var run = run("--json", directory.toString());
    assertThat(run.code()).isEqualTo(InspectCommand.NONE);
    assertThat(read(run).get("chosen").isNull()).isTrue();
    assertThat(read(run).get("checkpoints").get(3).get("step").isNull()).isTrue();
    assertThat(read(run).get("message").asText()).contains("last.pt", "is newer than");
  }

  @Test
  void shouldReadEveryByteOnlyWhenAsked() throws IOException {
    var folder = Files.createTempDirectory(directory, "flat");
    var bytes = Fixtures.torchSave();
    DcpFixture.file(folder.resolve("step-7.pt"), bytes, THEN);
    assertThat(run(folder.toString()).out()).contains("  L3  ").doesNotContain("L4");
    assertThat(run("--deep", folder.toString()).out()).contains("  L4  ");
    DcpFixture.file(folder.resolve("step-8.pt"), Arrays.copyOf(bytes, 900), THEN);
    assertThat(run(folder.toString()).out()).contains("resume from step 7: newest valid one");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/no/such/directory|rekindle inspect: /no/such/directory: the directory does not exist",
        "/etc/passwd|rekindle inspect: /etc/passwd: it is not a directory",
        "--format zarr /etc|rekindle inspect: format 'zarr' is not known; known are auto,"
            + " accelerate,",
      })
  void shouldSayWhatCannotBeUsed(String args, String why) {
    var run = run(args.split(" ", -1));
    assertThat(run.code()).isEqualTo(CommandTree.USAGE);
    assertThat(run.err()).startsWith(why);
  }

  @ParameterizedTest
  @CsvSource({
    "0,0 B",
    "1023,1023 B",
    "1024,1.0 KiB",
    "1503238553,1.4 GiB",
    "6000000000000,5.5 TiB"
  })
  void shouldShowSizes(long bytes, String shown) {
    assertThat(InspectReport.size(bytes)).isEqualTo(shown);
  }

  @ParameterizedTest
  @CsvSource({"-5,0s", "59,59s", "61,1m1s", "7260,2h1m", "90000,1d1h"})
  void shouldShowAges(long seconds, String shown) {
    assertThat(InspectReport.age(Duration.ofSeconds(seconds))).isEqualTo(shown);
  }
}
