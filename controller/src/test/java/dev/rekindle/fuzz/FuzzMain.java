package dev.rekindle.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Fuzzes one reader with Jazzer, which is guided by the branches that an input reaches: {@code
 * FuzzMain TARGET SECONDS DIRECTORY}. What it learns stays in the directory.
 */
public final class FuzzMain {
  private static @Nullable Target target;

  private FuzzMain() {}

  /** What Jazzer calls; it finds this by its name. */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    var chosen = target;
    if (chosen == null) {
      chosen = Targets.named(System.getProperty("fuzz.target", ""));
      target = chosen;
      for (var seed : chosen.seeds()) {
        chosen.reader().read(seed); // What loading classes takes is not the input's.
      }
    }
    Oracle.check(chosen, input);
  }

  /** Writes the seeds and hands over to Jazzer, which is on the class path for this alone. */
  public static void main(String[] args) throws Exception {
    if (args.length != 3 || Targets.all().stream().noneMatch(t -> t.name().equals(args[0]))) {
      System.err.println(
          "usage: FuzzMain TARGET SECONDS DIRECTORY; targets: "
              + Targets.all().stream().map(Target::name).collect(Collectors.joining(", ")));
      System.exit(2);
    }
    System.setProperty("fuzz.target", args[0]);
    var corpus = seeded(Path.of(args[2]).resolve(args[0]), Targets.named(args[0]));
    var options =
        List.of(
            "--target_class=" + FuzzMain.class.getName(),
            "--instrumentation_includes=dev.rekindle.**:com.google.re2j.**",
            "--custom_hook_excludes=com.fasterxml.**:io.fabric8.**:org.snakeyaml.**:java.**",
            "-max_total_time=" + args[1],
            "-timeout=10",
            "-max_len=16384",
            "-print_final_stats=1",
            "-artifact_prefix=" + Path.of(args[2]) + "/" + args[0] + "-",
            corpus.toString());
    Class.forName("com.code_intelligence.jazzer.Jazzer")
        .getMethod("main", String[].class)
        .invoke(null, (Object) options.toArray(new String[0]));
  }

  private static Path seeded(Path directory, Target target) throws IOException {
    Files.createDirectories(directory);
    var seeds = new ArrayList<>(target.seeds());
    for (int i = 0; i < seeds.size(); i++) {
      Files.write(directory.resolve("seed-" + i), seeds.get(i));
    }
    return directory;
  }
}
