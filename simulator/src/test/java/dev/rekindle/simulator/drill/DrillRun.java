package dev.rekindle.simulator.drill;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.cli.CommandTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** One drill, run as the command line runs it, with all that it printed. */
record DrillRun(int code, String out, String err) {
  private static final ObjectMapper JSON = new ObjectMapper();

  static DrillRun of(String... args) {
    return on(Terminal.NONE, args);
  }

  static DrillRun on(Terminal terminal, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        CommandTree.run(
            new DrillCommand(print(out), terminal), List.of(args), print(out), print(err));
    return new DrillRun(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  private static PrintStream print(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  /** What it printed, each line an object. */
  List<JsonNode> lines() {
    return out.lines().map(DrillRun::parse).toList();
  }

  /** The status of the last Recovery. */
  JsonNode status() {
    return lines().getLast().at("/recovery/status");
  }

  private static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (IOException e) {
      throw new UncheckedIOException(line, e);
    }
  }
}
