package dev.rekindle.detect.checkpoint.megatron;

import dev.rekindle.detect.checkpoint.Fixtures;
import dev.rekindle.detect.checkpoint.Found;
import dev.rekindle.detect.checkpoint.Scanner;
import dev.rekindle.detect.checkpoint.Scans;
import dev.rekindle.detect.checkpoint.dcp.DcpFixture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.io.TempDir;

/** A directory of Megatron's checkpoints. */
abstract class MegatronFixture {
  static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");
  static final String TRACKER = "latest_checkpointed_iteration.txt";

  @TempDir Path root;

  Path dist(int step) throws IOException {
    var folder = root.resolve("iter_%07d".formatted(step));
    DcpFixture.write(folder, 2, 3, 100, THEN);
    DcpFixture.file(folder.resolve("common.pt"), Fixtures.torchSave(), THEN);
    text(folder.resolve("metadata.json"), "{\"sharded_backend\": \"torch_dist\"}");
    return folder;
  }

  void tracker(String text) throws IOException {
    text(root.resolve(TRACKER), text);
  }

  static void text(Path file, String text) throws IOException {
    DcpFixture.file(file, text.getBytes(StandardCharsets.UTF_8), THEN.plusSeconds(2));
  }

  Scanner.Result scan() {
    return Scans.of(root, "auto");
  }

  static String said(Found found) {
    var verdict = found.verdict();
    return verdict.kind().word() + " " + verdict.level() + " " + verdict.reason();
  }
}
