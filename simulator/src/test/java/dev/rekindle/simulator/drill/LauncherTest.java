package dev.rekindle.simulator.drill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.simulator.app.Main;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code rekindle} in a folder as a release has it, with JDKs that only say who they
 * are.
 */
class LauncherTest {
  @TempDir Path folder;

  private Path release = Path.of("");
  private Path home = Path.of("");
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void layOut() throws IOException {
    release = Files.createDirectories(folder.resolve("release"));
    home = Files.createDirectories(folder.resolve("home"));
    Files.copy(Path.of("..", "rekindle"), release.resolve("rekindle"));
    executable(release.resolve("rekindle"));
    Path lib = Files.createDirectories(release.resolve("lib"));
    Files.createFile(lib.resolve("rekindle-simulator-1.2.3.jar"));
    environment.put("HOME", home.toString());
    environment.put("PATH", "/usr/bin:/bin");
  }

  @Test
  void shouldStartTheLibrariesBesideItOnTheJdkOfJavaHome() throws Exception {
    environment.put("JAVA_HOME", jdk(home.resolve("mine"), "25.0.1").toString());
    Ended ended = rekindle("drill", "--scenario", "ecc");
    assertThat(ended.code()).as("that of the program").isEqualTo(7);
    assertThat(ended.out())
        .startsWith(home.resolve("mine") + " ")
        .contains("-jar " + release.resolve("lib/rekindle-simulator-1.2.3.jar"))
        .contains("-Drekindle.terminal=false")
        .endsWith("drill --scenario ecc\n");
    assertThat(ended.err()).isEmpty();
  }

  @Test
  void shouldPassOverAJavaHomeOfAnotherVersion() throws Exception {
    environment.put("JAVA_HOME", jdk(home.resolve("old"), "17.0.9").toString());
    environment.put("JAVA25_HOME", jdk(home.resolve("named"), "25").toString());
    assertThat(rekindle("drill").out()).startsWith(home.resolve("named") + " ");
  }

  @Test
  void shouldTakeTheJavaOnThePathWhenItIsNewEnough() throws Exception {
    Path onPath = jdk(home.resolve("path"), "25.0.2");
    environment.put("PATH", onPath.resolve("bin") + ":/usr/bin:/bin");
    assertThat(rekindle("replay", "t.csv").out()).startsWith(onPath + " ").endsWith("t.csv\n");
  }

  @Test
  void shouldLeaveTheCompilerAloneWhereWorkIsLong() throws Exception {
    environment.put("JAVA_HOME", jdk(home.resolve("mine"), "25.0.1").toString());
    assertThat(rekindle("drill").out()).contains("TieredStopAtLevel=1");
    assertThat(rekindle("simulate").out()).doesNotContain("TieredStopAtLevel");
  }

  @Test
  void shouldSayWhatIsMissingWhenThereIsNothingToBuildWith() throws Exception {
    Files.delete(release.resolve("lib/rekindle-simulator-1.2.3.jar"));
    Path jdk = jdk(home.resolve("mine"), "25.0.1");
    environment.put("JAVA_HOME", jdk.toString());
    assertThat(rekindle("drill")).matches(e -> e.code() == 1 && e.err().contains("no javac"));
    Files.copy(jdk.resolve("bin/java"), jdk.resolve("bin/javac"));
    executable(jdk.resolve("bin/javac"));
    environment.put("PATH", tools().toString());
    assertThat(rekindle("drill")).matches(e -> e.code() == 1 && e.err().contains("no mvn"));
  }

  @Test
  void shouldStartEveryCommandThatNeedsAJvmInTheSameWay() throws Exception {
    environment.put("JAVA_HOME", jdk(home.resolve("mine"), "25.0.1").toString());
    for (String command : Main.commands()) {
      assertThat(rekindle(command, "--x=y").out()).endsWith(".jar " + command + " --x=y\n");
    }
    assertThat(rekindle("--version").out()).endsWith(".jar --version\n");
  }

  @Test
  void shouldRefuseUnknownCommands() throws Exception {
    assertThat(rekindle("dril").code()).isEqualTo(2);
    assertThat(rekindle().code()).isEqualTo(2);
    assertThat(rekindle("--help")).matches(e -> e.code() == 0 && e.out().contains("testbed drill"));
    assertThat(rekindle("--help").out().lines()).allMatch(line -> line.length() <= 120);
  }

  /** What the script needs of the system, and nothing else. */
  private Path tools() throws IOException {
    Path tools = Files.createDirectories(home.resolve("tools"));
    for (String tool : List.of("bash", "dirname", "realpath", "sed")) {
      Path from = Path.of(Files.exists(Path.of("/bin", tool)) ? "/bin" : "/usr/bin", tool);
      Files.writeString(tools.resolve(tool), "#!/bin/bash\nexec " + from + " \"$@\"\n");
      executable(tools.resolve(tool));
    }
    return tools;
  }

  private static Path jdk(Path at, String version) throws IOException {
    Files.createDirectories(at.resolve("bin"));
    Files.writeString(at.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    Files.writeString(at.resolve("bin/java"), "#!/bin/bash\necho " + at + " \"$@\"\nexit 7\n");
    executable(at.resolve("bin/java"));
    return at;
  }

  private static void executable(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private record Ended(int code, String out, String err) {}

  private Ended rekindle(String... args) throws Exception {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder = new ProcessBuilder();
    builder.command().add("/bin/bash");
    builder.command().add(release.resolve("rekindle").toString());
    builder.command().addAll(List.of(args));
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
    return new Ended(
        process.exitValue(),
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }
}
