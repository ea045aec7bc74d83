package dev.rekindle.detect.checkpoint.megatron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.Scanner;
import dev.rekindle.detect.checkpoint.dcp.DcpFixture;
import dev.rekindle.detect.checkpoint.files.Limits;
import dev.rekindle.detect.checkpoint.format.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Megatron's tracker says, and checksums. */
class MegatronTrackerTest extends MegatronFixture {
  @Test
  void shouldChooseNothingNewerThanTheTrackerSays() throws IOException {
    dist(30);
    dist(20);
    tracker("20");
    assertThat(said(scan().checkpoints().getFirst()))
        .isEqualTo(
            "Unknown L0 newer than latest_checkpointed_iteration.txt says (20), which is last");
    assertThat(said(scan().checkpoints().getLast())).isEqualTo("Valid L3 ");
  }

  @Test
  void shouldSayThatMegatronStartsFromNothingWithoutATracker() throws IOException {
    dist(30);
    assertThat(said(scan().checkpoints().getFirst()))
        .isEqualTo(
            "Unknown L0 latest_checkpointed_iteration.txt is missing: Megatron would start from"
                + " nothing");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|latest_checkpointed_iteration.txt is empty",
        "3O|latest_checkpointed_iteration.txt says '3O', which is no iteration",
      })
  void shouldRelyOnNothingWhereTheTrackerMakesNoSense(String text, String doubt)
      throws IOException {
    dist(30);
    tracker(text);
    assertThat(scan().error()).isEqualTo(doubt);
  }

  @Test
  void shouldNotTakeADanglingTrackerForAnEmptyDirectory() throws IOException {
    tracker("30");
    assertThat(scan().error()).contains("says 30, and there is no folder iter_0000030");
    dist(20);
    assertThat(scan().error()).isEmpty();
    assertThat(said(scan().checkpoints().getFirst()))
        .isEqualTo(
            "Valid L3 latest_checkpointed_iteration.txt names iter_0000030, which is not there");
  }

  @Test
  void shouldCompareChecksumsOnDemand() throws Exception {
    var folder = dist(30);
    tracker("30");
    var shard = folder.resolve("__0_0.distcp");
    var digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(shard));
    text(
        folder.resolve("integrity.json"),
        "{\"algorithm\": \"sha256\", \"files\": {\"__0_0.distcp\": \"%s\"}}"
            .formatted(HexFormat.of().formatHex(digest)));
    assertThat(deep()).isEqualTo("Valid L4 ");
    var holed = DcpFixture.data(300);
    holed[7] = 0;
    DcpFixture.file(shard, holed, THEN);
    assertThat(said(scan().checkpoints().getFirst())).isEqualTo("Valid L3 ");
    assertThat(deep())
        .isEqualTo("Torn L4 __0_0.distcp has another checksum than integrity.json says");
  }

  private String deep() {
    var settings = new Scanner.Settings("megatron", Level.L4, 20, Limits.DEEP);
    return said(new Scanner(root, settings).scan().checkpoints().getFirst());
  }
}
