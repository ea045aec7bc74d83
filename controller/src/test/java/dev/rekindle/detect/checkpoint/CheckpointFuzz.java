package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.dcp.DcpFolder;
import dev.rekindle.detect.checkpoint.files.Budget;
import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Limits;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.json.Json;
import dev.rekindle.detect.checkpoint.json.JsonException;
import dev.rekindle.detect.checkpoint.safetensors.Safetensors;
import dev.rekindle.detect.checkpoint.torch.TorchSave;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Feeds bytes to the readers of checkpoint files and of their names. */
public final class CheckpointFuzz {
  private static final Path RESOURCES =
      Path.of("../detectors/src/test/resources/dev/rekindle/detect/checkpoint");

  private CheckpointFuzz() {}

  private static Folder folder(Map<String, byte[]> files) {
    return Folder.root(new MemoryStorage(files), new Budget(Limits.USUAL, System::nanoTime));
  }

  private static Entry entry(Folder folder, String name) throws IOException {
    return folder.entry(name).orElseThrow();
  }

  private static void check(Verdict verdict) {
    if (verdict.reason().length() > 300) {
      throw new AssertionError("a reason of " + verdict.reason().length());
    }
  }

  /** A file of torch.save. */
  public static void file(byte[] input) throws IOException {
    var folder = folder(Map.of("a.pt", input));
    try {
      check(TorchSave.judge(folder, entry(folder, "a.pt"), Level.L3));
      check(TorchSave.judge(folder, entry(folder, "a.pt"), Level.L4));
    } catch (EOFException tooShort) {
      // Torn: it says that it holds more.
    }
  }

  /** The index of torch.distributed.checkpoint. */
  public static void dcp(byte[] input) throws IOException {
    var folder = folder(Map.of(".metadata", input, "__0_0.distcp", new byte[1641]));
    check(DcpFolder.judge(folder));
  }

  /** A file of safetensors. */
  public static void safetensors(byte[] input) throws IOException {
    var folder = folder(Map.of("a.safetensors", input));
    check(Safetensors.judge(folder, entry(folder, "a.safetensors")));
  }

  /** JSON that is beside checkpoints. */
  public static void json(byte[] input) {
    try {
      var _ = Json.read(ByteBuffer.wrap(input), 10_000);
    } catch (JsonException refused) {
      if (String.valueOf(refused.getMessage()).length() > 100) {
        throw new AssertionError("a reason of " + String.valueOf(refused.getMessage()).length());
      }
    }
  }

  /** Names of files, a line each, and the line that reports them. */
  public static void names(byte[] input) throws IOException {
    for (var name : new String(input, StandardCharsets.UTF_8).split("\n", -1)) {
      var _ = StepName.ofFile(name);
      var _ = StepName.ofFolder(name);
      var root = folder(Map.of("x" + name, new byte[0]));
      for (var format : Formats.ALL) {
        var _ = format.find(root);
      }
      var search = Search.of(root, Formats.ALL, Formats.AUTO);
      line("x" + name, search.doubts().isEmpty() ? "" : search.doubts().getFirst());
    }
  }

  private static void line(String name, String error) {
    var path = "/nowhere/" + name;
    var found = new Found(path, Formats.AUTO, OptionalLong.of(1), 1, Instant.EPOCH, Verdict.VALID);
    var line =
        ScanLine.write(
            1,
            Instant.EPOCH,
            "/nowhere",
            new Scanner.Result(List.of(found), List.of(), error, true));
    if (line.length() >= ScanLine.MAX_BYTES) {
      throw new AssertionError("a line of " + line.length());
    }
  }

  /** An archive of PyTorch, for a seed. */
  public static byte[] archive() {
    return resource("step-00000050.pt");
  }

  /** An index of PyTorch, for a seed. */
  public static byte[] index() {
    return resource("dcp/metadata");
  }

  private static byte[] resource(String name) {
    try {
      return Files.readAllBytes(RESOURCES.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
