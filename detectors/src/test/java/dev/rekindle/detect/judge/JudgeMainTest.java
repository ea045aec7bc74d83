package dev.rekindle.detect.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code judge} prints. */
class JudgeMainTest extends JudgeFixture {
  private static final String LOG =
      """
      [   10.000000] usb 1-1: new device
      [  100.000000] NVRM: Xid (PCI:0000:91:00): 79, pid=1, name=x, GPU has fallen off the bus.
      [  100.000005] NVRM: Xid (PCI:0000:91:00): 79, pid=1, name=x, GPU has fallen off the bus.
      [  112.000000] nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 48 LTSSM Fault Up
      [  113.000000] mlx5_core 0000:d2:00.0: poll_health:825: device's health compromised - reached miss count
      """;

  @Test
  void shouldPrintOneObjectForEachRecognisedLine() throws IOException {
    assertThat(run(LOG, "-", "--json")).isZero();
    var objects = objects();
    assertThat(objects).hasSize(4);
    assertThat(objects.getFirst().get("code").isNumber()).isTrue();
    assertThat(objects.getFirst().get("code").asInt()).isEqualTo(79);
    assertThat(objects.getFirst().get("device").asText()).isEqualTo("0000:91:00");
    assertThat(objects.getFirst().get("source").asText()).isEqualTo("xid");
    assertThat(objects.getFirst().get("verdict").asText()).isEqualTo("fence");
    assertThat(objects.getFirst().get("reason").asText()).contains("fell off");
    assertThat(objects.getFirst().get("line").asInt()).isEqualTo(2);
    assertThat(objects.get(2).get("verdict").asText()).isEqualTo("ignore");
    assertThat(objects.get(3).get("code").isNull()).isTrue();
    assertThat(objects.get(3).get("name").asText()).isEqualTo("mlx5 health-lost");
  }

  /** As dmesg -r, dmesg -x, /dev/kmsg and journalctl -o json show it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<4>[  1.5] %s|<12>[  1.5] %s",
        "kern  :warn  : [  1.5] %s|user  :warn  : [  1.5] %s",
        "4,1,1500000,-;%s|12,1,1500000,-;%s",
        "{\"_TRANSPORT\":\"kernel\",\"SYSLOG_FACILITY\":\"0\",\"MESSAGE\":\"%s\"}|"
            + "{\"_TRANSPORT\":\"kernel\",\"SYSLOG_FACILITY\":\"1\",\"MESSAGE\":\"%s\"}"
      })
  void shouldJudgeWhatTheKernelSaysAndNotWhatAProcessWroteIntoItsLog(
      String ofKernel, String ofProcess) throws IOException {
    var line = "NVRM: Xid (PCI:0000:91:00): 79, pid=1, name=x, GPU has fallen off the bus.";
    assertThat(run(ofProcess.formatted(line) + "\n", "-", "--json")).isZero();
    assertThat(objects()).isEmpty();
    assertThat(run(ofKernel.formatted(line) + "\n", "-", "--json")).isZero();
    assertThat(objects()).hasSize(1);
  }

  @Test
  void shouldPrintATableAndWhatBecameOfEachDevice() throws IOException {
    var log = directory.resolve("kern.log");
    Files.writeString(log, LOG);
    assertThat(run("", log.toString())).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("and 1 more like it")
        .contains("4 of 5 lines recognised.")
        .containsPattern("0000:91:00 +fence +xid 79: GPU fell off the PCIe bus; to do: reboot_node")
        .doesNotContain("0000:c1:00    fence");
  }

  @Test
  void shouldLayRulesOverOurs() throws IOException {
    var rules = directory.resolve("rules.yaml");
    Files.writeString(rules, "rules:\n- {name: mine, xid: [79], verdict: watch}\n");
    for (var both : List.of(List.of("--rules", rules.toString()), List.of("--rules=" + rules))) {
      out.reset();
      var args = Stream.concat(Stream.of("-", "--json"), both.stream()).toArray(String[]::new);
      assertThat(run(LOG, args)).isZero();
      assertThat(objects().getFirst().get("verdict").asText()).isEqualTo("watch");
      assertThat(objects().getFirst().get("rule").asText()).isEqualTo("mine");
      args[0] = "xid";
      out.reset();
      assertThat(explain(Stream.concat(Stream.of(args), Stream.of("79")).toArray(String[]::new)))
          .isZero();
      assertThat(objects().getFirst().get("rekindle").get(0).asText()).startsWith("watch");
    }
  }

  @Test
  void shouldEndWithTwoWhenSomethingIsWrong() throws IOException {
    var rules = directory.resolve("rules.yaml");
    Files.writeString(rules, "rules: 5\n");
    assertThat(run(LOG, "-", "--rules", rules.toString())).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("rules.yaml:1: rules is not a list");
    assertThat(run(LOG, "-", "--rules", directory.resolve("none").toString())).isEqualTo(2);
    assertThat(run(LOG, directory.resolve("none").toString())).isEqualTo(2);
    assertThat(run(LOG, directory.toString())).isEqualTo(2);
    assertThat(run(LOG)).isEqualTo(2);
    assertThat(run(LOG, "-", "-")).isEqualTo(2);
    assertThat(run(LOG, "-", "--rules")).isEqualTo(2);
    assertThat(run(LOG, "-", "--policy")).isEqualTo(2);
    assertThat(run(LOG, "-", "--policy", directory.resolve("none").toString())).isEqualTo(2);
    assertThat(run(LOG, "-", "--yaml")).isEqualTo(2);
    assertThat(out.size()).isZero();
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("none cannot be read: no such file\n")
        .contains(directory + " cannot be read: Is a directory\n")
        .contains("rekindle judge: unknown option '--yaml'\nSee 'rekindle judge --help'.\n")
        .doesNotContain("Exception", "java.");
    assertThat(run(LOG, "--help")).isZero();
  }

  /** Rubbish of every sort, lines without an end among it, in little memory. */
  @Test
  void shouldReadOnWhenALogIsFullOfRubbish() throws IOException {
    var random = new Random(3);
    var log = new ByteArrayOutputStream();
    for (int i = 0; i < 500; i++) {
      var rubbish = new byte[random.nextInt(300)];
      random.nextBytes(rubbish);
      log.write(rubbish);
      log.write('\n');
    }
    log.write(new byte[3 << 20]);
    log.write("\n".getBytes(StandardCharsets.UTF_8));
    log.write(LOG.getBytes(StandardCharsets.UTF_8));
    assertThat(run(new ByteArrayInputStream(log.toByteArray()), "-", "--json")).isZero();
    assertThat(objects()).hasSizeGreaterThanOrEqualTo(4);
    assertThat(objects().getLast().get("name").asText()).isEqualTo("mlx5 health-lost");
  }
}
