package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.detect.checkpoint.files.Limits;
import dev.rekindle.detect.checkpoint.files.Place;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InspectorTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final ObjectMapper JSON = new ObjectMapper();
  @TempDir Path directory;

  private JsonNode scan() throws IOException {
    return JSON.readTree(
        ScanLine.write(1, NOW, directory.toString(), Scans.usual(directory).scan()));
  }

  private void write(String name, byte[] bytes) throws IOException {
    Files.write(directory.resolve(name), bytes);
  }

  private static String verdicts(JsonNode line) {
    var text = new StringBuilder();
    line.get("checkpoints")
        .forEach(c -> text.append(c.get("step")).append(c.get("verdict").asText()).append(' '));
    return text.toString().strip();
  }

  @Test
  void shouldListNewestFirstWithVerdictsWhenDirectoryIsMixed() throws IOException {
    var real = Fixtures.torchSave();
    write("step-00000050.pt", real);
    write("step-00000100.pt", Arrays.copyOf(real, 1000));
    write("step-00000009.pt", real);
    write("legacy-step-70.pt", Fixtures.legacy());
    write(".step-00000200.pt", real);
    write("step-00000200.pt.tmp", real);
    write("last.pt", real);
    Files.createDirectory(directory.resolve("step-300.pt"));
    var line = scan();
    assertThat(verdicts(line)).isEqualTo("100Torn 70Unknown 50Valid 9Valid");
    var valid = line.get("checkpoints").get(2);
    assertThat(valid.get("path").asText()).isEqualTo(directory + "/step-00000050.pt");
    assertThat(valid.get("bytes").asLong()).isEqualTo(real.length);
    assertThat(valid.get("level").asText()).isEqualTo("L3");
    assertThat(valid.get("reason").asText()).isEmpty();
    assertThat(Instant.parse(valid.get("modified").asText())).isAfter(NOW.minusSeconds(9_999_999));
    assertThat(line.get("checkpoints").get(0).get("level").asText()).isEqualTo("L3");
    assertThat(line.get("checkpoints").get(0).get("reason").asText()).contains("END");
    assertThat(line.get("error").asText()).isEmpty();
    assertThat(line.get("dir").asText()).isEqualTo(directory.toString());
    assertThat(line.get("began").asText()).isEqualTo(NOW.toString());
  }

  @Test
  void shouldRefuseLinksThatLeadOutAndFollowThoseThatDoNot() throws IOException {
    var outside = Files.createTempDirectory("outside");
    var target = Files.write(outside.resolve("secret-7.pt"), Fixtures.torchSave());
    Files.createSymbolicLink(directory.resolve("step-7.pt"), target);
    Files.createSymbolicLink(directory.resolve("step-8.pt"), Path.of("real.pt"));
    Files.createSymbolicLink(directory.resolve("step-9.pt"), Path.of("dangling.pt"));
    write("real.pt", Fixtures.torchSave());
    var line = scan();
    assertThat(verdicts(line)).isEqualTo("8Valid 7Unknown");
    assertThat(line.get("checkpoints").get(1).get("reason").asText()).contains("out of the dir");
    Files.delete(target);
    Files.delete(outside);
  }

  @Test
  void shouldNotWaitWhenAnEntryIsAPipe() throws IOException, InterruptedException {
    var pipe = directory.resolve("step-5.pt");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThat(verdicts(scan())).isEqualTo("5Unknown");
  }

  @Test
  void shouldListAtMostTwentyWithinSixteenKilobytesWhenNamesAreLongAndHostile() throws IOException {
    var hostile = "\"\\\n\u0001é".repeat(20);
    for (int i = 0; i < 40; i++) {
      write(hostile + "step-" + i + ".pt", Fixtures.torchSave());
    }
    var text = ScanLine.write(1, NOW, directory.toString(), Scans.usual(directory).scan());
    assertThat(text).hasSizeLessThan(ScanLine.MAX_BYTES).matches("[ -~]*");
    var line = JSON.readTree(text);
    assertThat(line.get("checkpoints").size()).isBetween(10, 20);
    assertThat(line.get("checkpoints").get(0).get("path").asText())
        .isEqualTo(directory + "/" + hostile + "step-39.pt");
    for (int i = 40; i < 70; i++) {
      write("s" + i + ".pt", Fixtures.torchSave());
    }
    assertThat(scan().get("checkpoints")).hasSize(20);
  }

  @Test
  void shouldSayWhyWhenDirectoryCannotBeListed() throws IOException {
    var missing = Scans.usual(directory.resolve("missing")).scan();
    assertThat(missing.error()).isEqualTo("the directory does not exist");
    write("file", new byte[1]);
    assertThat(Scans.usual(directory.resolve("file")).scan().error())
        .isEqualTo("it is not a directory");
    assertThat(scan().get("checkpoints")).isEmpty();
  }

  @Test
  void shouldStopAtTenThousandEntriesAndSaySo() throws IOException {
    for (int i = 0; i <= Limits.USUAL.rootEntries(); i++) {
      Files.createFile(directory.resolve("file" + i));
    }
    assertThat(scan().get("error").asText()).contains("10000");
  }

  @Test
  void shouldJudgeAgainWhenFileChangesBetweenScans() throws IOException {
    var scanner = Scans.usual(directory);
    write("step-1.pt", Arrays.copyOf(Fixtures.torchSave(), 500));
    assertThat(scanner.scan().checkpoints().getFirst().verdict().kind())
        .isEqualTo(Verdict.Kind.TORN);
    assertThat(scanner.scan().checkpoints().getFirst().verdict().kind())
        .isEqualTo(Verdict.Kind.TORN);
    write("step-1.pt", Fixtures.torchSave());
    assertThat(scanner.scan().checkpoints().getFirst().verdict()).isEqualTo(Verdict.VALID);
    Files.delete(directory.resolve("step-1.pt"));
    assertThat(scanner.scan().checkpoints()).isEmpty();
  }

  @Test
  void shouldPrintOneLineAScanWhenRunToItsDeadline() throws IOException {
    write("step-3.pt", Fixtures.torchSave());
    var bytes = new ByteArrayOutputStream();
    var options =
        new InspectorMain.Options(
            Place.directory(directory), Formats.AUTO, Duration.ofMillis(20), Duration.ofMillis(70));
    InspectorMain.run(
        options, InstantSource.fixed(NOW), new PrintStream(bytes, true, StandardCharsets.US_ASCII));
    var lines = bytes.toString(StandardCharsets.US_ASCII).split("\n", -1);
    assertThat(lines).hasSize(5); // at 0, 20, 40 and 60 ms, and nothing behind the last break
    for (int i = 0; i < 4; i++) {
      assertThat(JSON.readTree(lines[i]).get("scan").asInt()).isEqualTo(i + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--dir relative",
        "--dir",
        "--dir /x --format none",
        "--dir /x --interval 0s",
        "--dir /x --interval fast",
        "--dir /x --deadline -5s",
        "--nonsense /x",
        "--dir s3://bucket/../y",
        "--dir s3://bucket/x --endpoint ftp://store",
        "--dir s3://bucket/x --region ../.."
      })
  void shouldRefuseWithReasonWhenOptionsMakeNoSense(String args) {
    assertThatThrownBy(
            () -> InspectorMain.Options.parse(args.isEmpty() ? new String[0] : args.split(" ", -1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching(
            ".*(--dir|--interval|option|format|duration|segment|endpoint|region).*");
  }

  @Test
  void shouldRunWithNothingButTheJdkWhenStartedAsAProcess() throws Exception {
    write("step-3.pt", Fixtures.torchSave());
    var classes =
        Path.of(InspectorMain.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    var process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // As in the image.
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classes + File.pathSeparator,
                InspectorMain.class.getName(),
                "--dir",
                directory.toString(),
                "--deadline",
                "0s")
            .redirectErrorStream(true)
            .start();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    assertThat(verdicts(JSON.readTree(output))).isEqualTo("3Valid");
  }
}
