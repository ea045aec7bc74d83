package dev.rekindle.detect.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.kmsg.KmsgRecord;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.Rules;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.weigh.Thresholds;
import dev.rekindle.detect.xid.XidCatalog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a real driver printed: raw records of {@code /dev/kmsg} of a machine with an NVIDIA H200 and
 * the open kernel modules 580.159.04, on which {@code xidfault} did one thing wrong at a time.
 * Before each a process wrote its name; the lines of the boot are as {@code dmesg} had them. UUID
 * and serial number are made up.
 */
class RealDriverLogTest {
  private static final Judge JUDGE =
      new Judge(Rules.shipped(), XidCatalog.load(), SxidCatalog.load());

  private static final String WRITE =
      "xid 31 GRAPHICS GPC1 GPCCLIENT_T1_8: restart, mmu-fault, THRESHOLD";
  private static final String AT_UNIT = "xid 13 GPC 1 TPC 4: restart, compute-exception, THRESHOLD";
  private static final String NO_UNIT = "xid 13: restart, compute-exception, THRESHOLD";
  private static final String RESET = "xid 43: restart, the catalogue, NEVER";

  private List<String> lines = List.of();

  @BeforeEach
  void read() throws IOException {
    try (var file = RealDriverLogTest.class.getResourceAsStream("h200-580.159.04.kmsg")) {
      lines = new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  @Test
  void shouldReadAndJudgeEveryRecordOfTheDriver() {
    var log = new LogJudge(JUDGE, Thresholds.DEFAULT);
    var judged = new StringBuilder();
    for (var line : lines) {
      if (line.contains(";recorder: ")) {
        judged.append(line.substring(line.indexOf(";recorder: fault ") + 17)).append('\n');
      }
      log.take(line).map(RealDriverLogTest::text).ifPresent(judged::append);
    }
    assertThat(judged.toString())
        .isEqualTo(
            """
            0 fine
            1 illegal_write
              569 xidfault WRITE
            2 illegal_null
              577 xidfault WRITE
            3 illegal_read
              588 xidfault xid 31 GRAPHICS GPC5 GPCCLIENT_T1_0: restart, mmu-fault, THRESHOLD
            4 misaligned
              - AT_UNIT
              - NO_UNIT
              594 xidfault NO_UNIT
            5 trap
              600 xidfault RESET
            6 assert
              607 xidfault RESET
            7 stack_overflow
              - AT_UNIT
              - NO_UNIT
              616 xidfault RESET
            8 local_out_of_range
            9 shared_out_of_range
              - AT_UNIT
              - NO_UNIT
              632 xidfault RESET
            10 wrong_space
              - AT_UNIT
              - NO_UNIT
              638 xidfault RESET
            11 wild_call
              644 xidfault xid 31 GRAPHICS GPC1 GPCCLIENT_GCC: restart, mmu-fault, THRESHOLD
            12 sigkill
            13 trap_everywhere
              661 xidfault RESET
            14 fine
            0 illegal_write
              784 xidfault WRITE
            1 misaligned
              - AT_UNIT
              - NO_UNIT
              790 xidfault NO_UNIT
            2 trap
              800 xidfault RESET
            3 sigkill
            4 fine
            """
                .replace("WRITE", WRITE)
                .replace("AT_UNIT", AT_UNIT)
                .replace("NO_UNIT", NO_UNIT)
                .replace("RESET", RESET));
  }

  private static String text(Judged judged) {
    var finding = judged.finding();
    var result = judged.judgement();
    assertThat(finding.device()).isEqualTo("0000:00:06");
    assertThat(judged.uuid()).isEqualTo("GPU-11111111-2222-3333-4444-555555555555");
    assertThat(result.action()).isEqualTo("restart_job");
    return "  %s %s: %s, %s, %s\n"
        .formatted(
            finding.processName().isEmpty() ? "-" : finding.processName(),
            (finding.name() + " " + finding.unit()).strip(),
            result.verdict().word(),
            result.rule().isEmpty() ? "the catalogue" : result.rule(),
            result.guidance());
  }

  /** Its lines have the flag {@code c}, of a line that goes on; each is a record all the same. */
  @Test
  void shouldTakeNothingButTheDriversRecordsForTheKernels() {
    var records =
        lines.stream()
            .filter(line -> !line.startsWith("["))
            .map(line -> KmsgRecord.read(line.getBytes(StandardCharsets.UTF_8)))
            .map(Optional::orElseThrow)
            .toList();
    assertThat(records).hasSize(46);
    assertThat(records)
        .allSatisfy(
            kmsg -> assertThat(kmsg.isOfKernel()).isEqualTo(kmsg.text().startsWith("NVRM: ")));
    assertThat(records.getFirst().sequence()).isEqualTo(359);
    assertThat(records.getLast().microsSinceBoot()).isEqualTo(83_058_944);
  }
}
