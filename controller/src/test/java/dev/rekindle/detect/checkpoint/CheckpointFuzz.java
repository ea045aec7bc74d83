package dev.rekindle.detect.checkpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** Feeds bytes to the readers of checkpoint files and of their names. */
public final class CheckpointFuzz {
  private static final Path FILE = temporary();

  private CheckpointFuzz() {}

  private static Path temporary() {
    try {
      var file = Files.createTempFile("fuzz", ".pt");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file of torch.save. */
  public static void file(byte[] input) throws IOException {
    Files.write(FILE, input);
    var verdict = TorchSave.check(FILE);
    if (verdict.reason().length() > 300) {
      throw new AssertionError("a reason of " + verdict.reason().length());
    }
  }

  /** Names of files, a line each, and the line that reports them. */
  public static void names(byte[] input) {
    var layout = new Layout();
    for (var name : new String(input, StandardCharsets.UTF_8).split("\n", -1)) {
      var _ = StepName.of(name);
      try {
        var path = Path.of("/nowhere").resolve("x" + name);
        layout.take(path);
        var line =
            ScanLine.write(
                1,
                Instant.EPOCH,
                Path.of("/nowhere"),
                new Scanner.Result(
                    List.of(new Found(path, 1, 1, Instant.EPOCH, Verdict.VALID)),
                    layout.looksLike().orElse("")));
        if (line.length() >= ScanLine.MAX_BYTES) {
          throw new AssertionError("a line of " + line.length());
        }
      } catch (InvalidPathException e) {
        // No file has that name.
      }
    }
  }

  /** An archive of PyTorch, for a seed. */
  public static byte[] archive() {
    try {
      return Files.readAllBytes(
          Path.of(
              "../detectors/src/test/resources/dev/rekindle/detect/checkpoint/step-00000050.pt"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
