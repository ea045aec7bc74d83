package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The C compiler of this machine; a test that needs one is skipped where there is none. */
final class Compiler {
  private Compiler() {}

  /** Compiles a source of the test resources. */
  static Path compile(String source, Path target, String... options)
      throws IOException, InterruptedException {
    var cc =
        Stream.of(System.getenv("PATH").split(":"))
            .map(folder -> Path.of(folder, "cc"))
            .filter(Files::isExecutable)
            .findFirst();
    Assumptions.assumeTrue(cc.isPresent(), "no C compiler (cc) on this machine");
    var file = target.resolveSibling(target.getFileName() + ".c");
    try (var text = Compiler.class.getResourceAsStream(source)) {
      Files.write(file, text.readAllBytes());
    }
    List<String> command = new ArrayList<>(List.of(cc.orElseThrow().toString(), "-Wall", "-O1"));
    command.addAll(List.of(options));
    command.addAll(List.of("-o", target.toString(), file.toString()));
    run(command);
    return target;
  }

  /** Runs a program to its end and returns what it printed. */
  static String run(List<String> command) throws IOException, InterruptedException {
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }
}
