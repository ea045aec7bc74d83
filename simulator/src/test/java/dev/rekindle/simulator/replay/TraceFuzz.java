package dev.rekindle.simulator.replay;

import dev.rekindle.cli.UsageException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Fuzzes the reader of traces with Jazzer: {@code TraceFuzz SECONDS DIRECTORY}. */
public final class TraceFuzz {
  static final List<String> SEEDS =
      List.of(
          "node,start_day,end_day,level,class,description\nn1,1,2.5,node,GPU,x\n",
          "Description,class,level,end_day,start_day,node\r\n\"a\"\"b\",NIC,leaf,3e1,0,n-2.x\r\n");

  private TraceFuzz() {}

  /** What Jazzer calls; it finds this by its name. Refusing is an answer. */
  public static void fuzzerTestOneInput(byte[] input) {
    try {
      var _ =
          TraceReader.parse(
              new String(input, StandardCharsets.UTF_8), "trace.csv", TraceReader.MAX_ROWS);
    } catch (UsageException refused) {
      if (String.valueOf(refused.getMessage()).isBlank()) {
        throw new AssertionError("refused without a reason", refused);
      }
    }
  }

  /** Writes the seeds and hands over to Jazzer, which is on the class path for this alone. */
  public static void main(String[] args) throws Exception {
    Path corpus = Files.createDirectories(Path.of(args[1]));
    for (int i = 0; i < SEEDS.size(); i++) {
      Files.writeString(corpus.resolve("seed-" + i), SEEDS.get(i));
    }
    String[] options = {
      "--target_class=" + TraceFuzz.class.getName(),
      "--instrumentation_includes=dev.rekindle.**",
      "-max_total_time=" + args[0],
      "-timeout=10",
      "-max_len=16384",
      "-print_final_stats=1",
      "-artifact_prefix=" + corpus + "-",
      corpus.toString()
    };
    Class.forName("com.code_intelligence.jazzer.Jazzer")
        .getMethod("main", String[].class)
        .invoke(null, (Object) options);
  }
}
