package dev.rekindle.detect.checkpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Feeds bytes to the readers of small files that say how far a save came: in folders of each
 * format, the same bytes in place of each.
 */
public final class FolderFuzz {
  /** Where the bytes stand, and beside them what makes the folder one of its format. */
  private static final List<String> FILES =
      List.of(
          "trainer/checkpoint-500/trainer_state.json",
          "trainer/checkpoint-500/model.safetensors.index.json",
          "megatron/latest_checkpointed_iteration.txt",
          "megatron/iter_0000010/metadata.json",
          "megatron/iter_0000010/.metadata",
          "deepspeed/latest",
          "deepspeed/global_step10/mp_rank_00_model_states.pt",
          "orbax/10/_CHECKPOINT_METADATA",
          "orbax/10/commit_success.txt",
          "orbax/10/manifest.ocdbt",
          "orbax/10/_METADATA",
          "nemo/a--step=10/integrity.json",
          "nemo/a--step=10/weights/metadata.json");

  private static final String SETTLED = "settled";

  private static final class Disk {
    private static final Path ROOT = made();
  }

  private FolderFuzz() {}

  private static Path made() {
    try {
      var root = Files.createTempDirectory("folders");
      for (var file : FILES) {
        Files.createDirectories(root.resolve(file).getParent());
        Files.writeString(root.resolve(file), SETTLED);
      }
      root.toFile().deleteOnExit();
      return root;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The first byte chooses the file, the rest is what it holds. */
  public static void marker(byte[] input) throws IOException {
    if (input.length == 0) {
      return;
    }
    var file = FILES.get(Math.floorMod(input[0] - 'a', FILES.size()));
    var path = Disk.ROOT.resolve(file);
    Files.write(path, Arrays.copyOfRange(input, 1, input.length));
    try {
      var folder = Disk.ROOT.resolve(file.substring(0, file.indexOf('/')));
      var result = new Scanner(folder, Scanner.Settings.USUAL).scan();
      for (var found : result.checkpoints()) {
        if (found.verdict().reason().length() > 400) {
          throw new AssertionError("a reason of " + found.verdict().reason().length());
        }
      }
    } finally {
      Files.writeString(path, SETTLED);
    }
  }
}
