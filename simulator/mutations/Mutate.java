import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Plants each mutation of a list in a copy of its source file, compiles that file alone, and asks
 * the simulator and the controller's unit tests whether they see it. Nothing in the tree changes
 * but the table; each step has a bound. Run by {@code mutate.sh}.
 */
final class Mutate {
  private record Mutation(String group, String name, String file, String old, String next) {}

  private record Run(int code, String text, boolean late) {}

  private static final Duration COMPILES = Duration.ofMinutes(2);
  private static final Duration TESTS = Duration.ofMinutes(6);
  private static final Duration COUNTS = Duration.ofMinutes(10);
  private static final Pattern TRIED = Pattern.compile("BROKEN: ([\\d,]+) seeds");
  private static final Pattern INVARIANT =
      Pattern.compile("invariant (\\d+) broken|the controller threw");
  private static final Pattern FAILED = Pattern.compile("methodName = '(\\w+)'");
  private static final String BEGIN = "<!-- mutations -->";
  private static final String END = "<!-- end of mutations -->";

  private final Path root;
  private final Path work;
  private final Map<String, String> env = System.getenv();

  private Mutate(Path root) throws IOException {
    this.root = root;
    this.work = Files.createTempDirectory("mutations");
  }

  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]);
    new Mutate(root).run(args.length > 1 ? args[1] : "");
  }

  private void run(String group) throws IOException {
    List<String> rows = new ArrayList<>();
    long seen = 0;
    long simulated = 0;
    long counted = 0;
    long all = 0;
    for (Mutation mutation : read(root.resolve("simulator/mutations/list.txt"))) {
      if (!group.isEmpty() && !mutation.group().equals(group)) {
        continue;
      }
      String simulator = "";
      String counts = "";
      String unit = "";
      Path classes = Files.createTempDirectory(work, "classes");
      String problem = plant(mutation, classes);
      if (problem.isEmpty()) {
        simulator = env.get("SEEDS").equals("0") ? "" : simulate(classes);
        counts = env.get("COUNTED").equals("0") ? "" : count(classes);
        unit = env.get("TESTS").isEmpty() ? "" : test(mutation, classes);
        all++;
        simulated += caught(simulator) ? 1 : 0;
        counted += caught(simulator) || caught(counts) ? 1 : 0;
        seen += caught(simulator) || caught(counts) || caught(unit) ? 1 : 0;
      } else {
        simulator = problem;
      }
      String row =
          "- %s: %s.%n  *Invariants*: %s.%n  *Counts*: %s.%n  *Unit test*: %s."
              .formatted(
                  mutation.group(),
                  mutation.name(),
                  simulator.isEmpty() ? "not run" : simulator,
                  counts.isEmpty() ? "not run" : counts,
                  unit.isEmpty() ? "not run" : unit);
      System.out.println(row);
      rows.add(row);
      write(
          rows,
          "Of %d mutations invariants have caught %d, invariants or counts %d, all tests %d."
              .formatted(all, simulated, counted, seen));
    }
  }

  private static boolean caught(String cell) {
    return cell.startsWith("seed") || cell.startsWith("`") || cell.startsWith("differ");
  }

  private static List<Mutation> read(Path list) throws IOException {
    List<Mutation> mutations = new ArrayList<>();
    for (String block : Files.readString(list).split("(?m)^=== ")) {
      if (block.isBlank()) {
        continue;
      }
      String[] head = block.split("\n", 3);
      String[] name = head[0].split(": ", 2);
      String[] change = head[2].split("(?m)^--- new\n", 2);
      mutations.add(
          new Mutation(
              name[0],
              name[1],
              head[1],
              chomp(change[0].replaceFirst("^--- old\n", "")),
              chomp(change[1])));
    }
    return mutations;
  }

  private static String chomp(String text) {
    return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
  }

  /** Why it cannot be planted; empty when it is. */
  private String plant(Mutation mutation, Path classes) throws IOException {
    Path source = root.resolve(mutation.file());
    String text = Files.readString(source);
    int at = text.indexOf(mutation.old());
    if (at < 0 || text.indexOf(mutation.old(), at + 1) >= 0) {
      return "its place is gone: write it anew";
    }
    Path copy = Files.createTempDirectory(work, "source").resolve(source.getFileName());
    Files.writeString(copy, text.replace(mutation.old(), mutation.next()));
    Run javac =
        run(
            COMPILES,
            List.of(
                java("javac"),
                "-nowarn",
                "-parameters",
                "-proc:none",
                "-d",
                classes.toString(),
                "-cp",
                env.get("SIMULATOR_CP"),
                copy.toString()));
    return javac.code() == 0 ? "" : "does not compile";
  }

  private String simulate(Path classes) {
    Duration bound = Duration.ofSeconds(Long.parseLong(env.get("SECONDS_EACH")));
    Run run =
        run(
            bound,
            simulator(classes, List.of("--seeds", env.get("SEEDS"), "--from", env.get("FROM"))));
    String broken = broken(run);
    if (!broken.isEmpty()) {
      return broken;
    }
    Matcher progress = Pattern.compile("([\\d,]+) of [\\d,]+ seeds").matcher(run.text());
    String count = env.get("SEEDS");
    while (run.late() && progress.find()) {
      count = progress.group(1);
    }
    return "not in " + count + " seeds";
  }

  /** What breaks in which of the seeds; empty where nothing does. */
  private static String broken(Run run) {
    Matcher tried = TRIED.matcher(run.text());
    if (run.code() != 1 || !tried.find()) {
      return "";
    }
    Matcher invariant = INVARIANT.matcher(run.text());
    String what =
        invariant.find() && invariant.group(1) != null
            ? "invariant " + invariant.group(1)
            : "an exception";
    return "seed %s, %s".formatted(tried.group(1), what);
  }

  /** Whether the controller does something else in the seeds of docs/reliability/outcomes.md. */
  private String count(Path classes) throws IOException {
    String counted = env.get("COUNTED");
    Run run = run(COUNTS, simulator(classes, List.of("--seeds", counted, "--counts", counted)));
    String broken = broken(run);
    if (!broken.isEmpty() || run.late()) {
      return run.late() ? "took too long" : broken;
    }
    List<String> is = rows(run.text());
    List<String> was = rows(Files.readString(root.resolve("docs/reliability/outcomes.md")));
    List<String> other = is.stream().filter(row -> !was.contains(row)).toList();
    long gone = was.stream().map(Mutate::name).filter(n -> !names(is).contains(n)).count();
    return other.isEmpty() && gone == 0
        ? "the same"
        : "differ, %d of %d".formatted(other.size() + gone, was.size());
  }

  private static List<String> rows(String text) {
    return text.lines().filter(line -> line.matches("\\| \\S+/\\S+ \\| -?[\\d,]+ \\|")).toList();
  }

  private static List<String> names(List<String> rows) {
    return rows.stream().map(Mutate::name).toList();
  }

  private static String name(String row) {
    return row.split(" ", 3)[1];
  }

  private List<String> simulator(Path classes, List<String> arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                java("java"),
                "-XX:+UseSerialGC",
                "-XX:MaxInlineLevel=7",
                "-XX:FreqInlineSize=50",
                "-XX:InlineSmallCode=600",
                "-XX:-DoEscapeAnalysis",
                "-XX:-UseLoopPredicate",
                "-XX:LoopOptsCount=5",
                "-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=1",
                "-cp",
                classes + File.pathSeparator + env.get("SIMULATOR_CP"),
                "dev.rekindle.simulator.app.Main",
                "simulate",
                "--threads",
                env.get("THREADS")));
    command.addAll(arguments);
    return command;
  }

  /** The tests of its own package first: most of what is seen at all is seen by one of them. */
  private String test(Mutation mutation, Path classes) {
    String folder = mutation.file().replaceFirst(".*src/main/java/", "");
    String near = folder.substring(0, folder.lastIndexOf('/')).replace("/", "\\.");
    String seen = test(classes, near + "\\.[^.]*Test");
    return seen.startsWith("`") ? seen : test(classes, env.get("TESTS"));
  }

  private String test(Path classes, String tests) {
    Run run =
        run(
            TESTS,
            List.of(
                java("java"),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-jar",
                env.get("CONSOLE"),
                "execute",
                "--disable-banner",
                "--details=none",
                "--disable-ansi-colors",
                "--fail-fast",
                "-cp",
                classes + File.pathSeparator + env.get("TEST_CP"),
                "--scan-classpath",
                env.get("TEST_CLASSES"),
                "--include-classname",
                tests));
    Matcher failed = FAILED.matcher(run.text());
    if (failed.find()) {
      return "`%s`".formatted(failed.group(1));
    }
    return run.late() ? "took too long" : run.code() == 0 ? "no" : "does not run";
  }

  private static String java(String tool) {
    return Path.of(System.getProperty("java.home"), "bin", tool).toString();
  }

  private Run run(Duration bound, List<String> command) {
    try {
      Path out = Files.createTempFile(work, "out", ".txt");
      Process process =
          new ProcessBuilder(command)
              .directory(root.resolve("controller").toFile())
              .redirectErrorStream(true)
              .redirectOutput(out.toFile())
              .start();
      boolean ended = process.waitFor(bound.toSeconds(), TimeUnit.SECONDS);
      if (!ended) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
      }
      return new Run(process.exitValue(), Files.readString(out), !ended);
    } catch (IOException cannot) {
      throw new UncheckedIOException(cannot);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stop);
    }
  }

  private void write(List<String> rows, String sum) throws IOException {
    Path doc =
        Path.of(
            env.getOrDefault("RESULTS", root.resolve("docs/reliability/mutations.md").toString()));
    String text = Files.exists(doc) ? Files.readString(doc) : BEGIN + "\n" + END + "\n";
    int begin = text.indexOf(BEGIN);
    int end = text.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IllegalStateException(doc + " has no place for the list");
    }
    StringBuilder list = new StringBuilder(BEGIN).append('\n').append(sum).append("\n\n");
    Stream.concat(rows.stream(), Stream.of("")).forEach(row -> list.append(row).append('\n'));
    Files.writeString(doc, text.substring(0, begin) + list + text.substring(end));
  }
}
