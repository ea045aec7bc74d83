package dev.rekindle.detect.checkpoint.dcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.Found;
import dev.rekindle.detect.checkpoint.Scans;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints whose model and optimizer are saves of their own, one level deeper. */
class DcpPartsTest {
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path root;

  private Path whole(int step, String... parts) {
    var folder = root.resolve("step-" + step);
    for (int i = 0; i < parts.length; i++) {
      DcpFixture.write(folder.resolve(parts[i]), 2, 3, 100, THEN.plusSeconds(step + 3L * i));
    }
    return folder;
  }

  private String said(int step) {
    return Scans.of(root, "auto").checkpoints().stream()
        .filter(found -> found.step().orElse(-1) == step)
        .map(DcpPartsTest::said)
        .findFirst()
        .orElse("");
  }

  private static String said(Found found) {
    Verdict verdict = found.verdict();
    return "%s %s %s"
        .formatted(
            found.path().substring(found.path().lastIndexOf('/') + 1),
            verdict.kind().word(),
            verdict.reason());
  }

  @Test
  void shouldBeOneGenerationThatIsValidWhenAllPartsAre() {
    whole(10, "model", "optim");
    whole(20, "model", "optim");

    assertThat(said(10)).isEqualTo("step-10 Valid ");
    assertThat(said(20)).isEqualTo("step-20 Valid ");
    assertThat(Scans.of(root, "auto").checkpoints()).hasSize(2);
    assertThat(Scans.of(root, "auto").error()).isEmpty();
  }

  @Test
  void shouldHaveTheWorstVerdictOfItsParts() throws IOException {
    whole(10, "model", "optim");
    var folder = whole(20, "model", "optim");
    Files.write(folder.resolve("model/__1_0.distcp"), new byte[5]);
    assertThat(said(20))
        .isEqualTo("step-20 Torn model: __1_0.distcp has 5 bytes, .metadata says 300");
    Files.delete(folder.resolve("optim/.metadata"));
    Files.write(folder.resolve("model/.metadata"), new byte[] {(byte) 0x80, 4, '0'});
    assertThat(said(20)).startsWith("step-20 Torn optim: .metadata is missing");
  }

  @Test
  void shouldBeTornWhereAPartOfTheOneBeforeIsMissing() {
    whole(10, "model", "optim");
    whole(20, "model");

    assertThat(said(20)).isEqualTo("step-20 Torn optim is missing: step-10 has it");
    assertThat(said(10)).isEqualTo("step-10 Valid ");
  }

  @Test
  void shouldSayNothingOfALonePartWithoutAnOlderOne() {
    whole(20, "model");

    assertThat(said(20))
        .isEqualTo(
            "step-20 Unknown only model is in it, and there is no older one to compare it with");
    whole(30, "model");
    assertThat(said(30)).isEqualTo("step-30 Valid ");
  }

  @Test
  void shouldNotHoldAPartThatCameLaterAgainstOlderOnes() {
    whole(10, "model", "optim");
    whole(20, "model", "optim", "dataloader");

    assertThat(said(10)).isEqualTo("step-10 Valid ");
    assertThat(said(20)).isEqualTo("step-20 Valid ");
  }

  /** Saved over after a roll-back, and cut off between the parts. */
  @Test
  void shouldNotCallAMixOfTwoSavesValid() {
    whole(10, "model", "optim");
    var folder = whole(20, "model", "optim");
    DcpFixture.write(folder.resolve("model"), 2, 3, 100, THEN.plusSeconds(600));

    assertThat(said(20)).startsWith("step-20 Unknown model was written 57").contains("mixed");
  }

  @Test
  void shouldFindNoPartsInAFolderThatNamesNoStep() {
    DcpFixture.write(root.resolve("best/model"), 2, 3, 100, THEN);

    assertThat(Scans.of(root, "auto").checkpoints()).isEmpty();
  }
}
