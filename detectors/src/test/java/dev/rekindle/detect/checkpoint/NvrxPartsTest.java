package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.nvrx.NvrxLocalFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Local checkpoints of which a node has the parts of several ranks. */
class NvrxPartsTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path root;

  private void part(long step, int rank, int bytes) throws IOException {
    byte[] whole;
    try (var in = NvrxPartsTest.class.getResourceAsStream("step-00000050.pt")) {
      whole = Objects.requireNonNull(in).readAllBytes();
    }
    Path folder = Files.createDirectories(root.resolve("session/" + rank));
    byte[] written = bytes < 0 ? whole : Arrays.copyOf(whole, bytes);
    Files.write(folder.resolve("iter_%07d_%d_local.pt".formatted(step, rank)), written);
  }

  private Scanner.Result scan() {
    return new Scanner(root, Scanner.Settings.USUAL).scan();
  }

  @Test
  void shouldSayWhichPartIsComplete() throws IOException {
    part(20, 0, -1);
    part(20, 1, 100);

    Scanner.Result result = scan();
    assertThat(result.error()).isEmpty();
    assertThat(result.checkpoints()).hasSize(2);
    for (Found found : result.checkpoints()) {
      boolean first = found.path().contains("/0/");
      assertThat(NvrxLocalFormat.isWhole(found.verdict().kind(), found.verdict().level().name()))
          .isEqualTo(first);
      assertThat(found.verdict().kind())
          .isEqualTo(first ? Verdict.Kind.UNKNOWN : Verdict.Kind.TORN);
      assertThat(NvrxLocalFormat.part(found.path()))
          .hasValue(new NvrxLocalFormat.Part(root.resolve("session").toString(), first ? 0 : 1));
    }
    assertThat(NvrxLocalFormat.part("/ckpt/step-20.pt")).isEqualTo(Optional.empty());
  }

  /** A pointer of Git LFS cannot be judged, and is no complete part. */
  @Test
  void shouldNotTakeWhatCannotBeJudgedForACompletePart() throws IOException {
    Path folder = Files.createDirectories(root.resolve("session/0"));
    Files.writeString(
        folder.resolve("iter_0000020_0_local.pt"),
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");

    Verdict verdict = scan().checkpoints().getFirst().verdict();
    assertThat(verdict.kind()).isEqualTo(Verdict.Kind.UNKNOWN);
    assertThat(NvrxLocalFormat.isWhole(verdict.kind(), verdict.level().name())).isFalse();
  }

  /** The newest twenty steps, whatever the number of their parts, up to a bound. */
  @Test
  void shouldCountThePartsOfAStepAsOne() throws IOException {
    for (int step = 1; step <= 22; step++) {
      part(step, 0, -1);
      part(step, 1, -1);
    }
    assertThat(scan().checkpoints())
        .hasSize(2 * Choice.MOST)
        .last()
        .satisfies(found -> assertThat(found.step()).hasValue(3));

    for (int rank = 0; rank < 100; rank++) {
      part(30, rank, -1);
    }
    assertThat(scan().checkpoints()).hasSize(3 * Choice.MOST);
  }
}
