package dev.rekindle.detect.judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.cli.CommandTree;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** Runs of the commands on a recorded log. */
abstract class JudgeFixture {
  @TempDir Path directory;
  final ByteArrayOutputStream out = new ByteArrayOutputStream();
  final ByteArrayOutputStream err = new ByteArrayOutputStream();

  int run(InputStream in, String... args) {
    var stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    return CommandTree.run(new JudgeMain(in, stream), List.of(args), stream, errors());
  }

  int explain(String... args) {
    var stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    return CommandTree.run(new ExplainMain(stream), List.of(args), stream, errors());
  }

  PrintStream errors() {
    return new PrintStream(err, true, StandardCharsets.UTF_8);
  }

  int run(String log, String... args) {
    return run(new ByteArrayInputStream(log.getBytes(StandardCharsets.UTF_8)), args);
  }

  List<JsonNode> objects() throws IOException {
    var json = new ObjectMapper();
    return out.toString(StandardCharsets.UTF_8)
        .lines()
        .map(
            line -> {
              try {
                return json.readTree(line);
              } catch (IOException e) {
                throw new AssertionError(line, e);
              }
            })
        .toList();
  }
}
