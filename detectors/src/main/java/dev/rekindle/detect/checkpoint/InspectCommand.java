package dev.rekindle.detect.checkpoint;

import dev.rekindle.cli.CommandTree;
import dev.rekindle.cli.UsageException;
import dev.rekindle.detect.checkpoint.files.Limits;
import dev.rekindle.detect.checkpoint.files.Place;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.s3.Credentials;
import dev.rekindle.detect.checkpoint.s3.Endpoint;
import dev.rekindle.detect.checkpoint.s3.S3Url;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rekindle inspect}: which checkpoints of a directory are complete. */
@Command(
    name = "inspect",
    description = {
      "Which checkpoints below a directory are complete, and from which of them a recovery would"
          + " resume. Nothing is loaded or unpickled; see docs/checkpoints.md."
    },
    exitCodeList = {
      "0:a recovery would resume from one of them",
      "2:wrong usage, or the directory cannot be listed",
      "3:none is complete, or no verdict is possible"
    })
public final class InspectCommand implements Callable<Integer> {
  /** There is no checkpoint to resume from, or nothing is known. */
  public static final int NONE = 3;

  private static final Limits USUAL =
      new Limits(
          Limits.USUAL.rootEntries(),
          Limits.USUAL.folderEntries(),
          Limits.USUAL.bytes(),
          Duration.ofHours(1));

  @Parameters(
      paramLabel = "DIR",
      description =
          "The directory that the checkpoints are saved in, or s3://BUCKET/PREFIX: then by the"
              + " access keys of your environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY).")
  private String directory = "";

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      description =
          "Server of the object store, https://HOST or https://{bucket}.HOST (default:"
              + " AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, else AWS itself).")
  private String endpoint = "";

  @Option(
      names = "--region",
      paramLabel = "REGION",
      description = "Region of the bucket (default: AWS_REGION, AWS_DEFAULT_REGION, us-east-1).")
  private String region = "";

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = Formats.AUTO,
      description = "Look for this format alone (default: auto, which looks for all).")
  private String format = Formats.AUTO;

  @Option(
      names = "--deep",
      description = "Read every byte and compare checksums, where the format has any.")
  private boolean deep;

  @Option(
      names = "--gpus",
      paramLabel = "NUMBER",
      description =
          "GPUs of the job that is to resume: what cannot be loaded by so many ranks is Unknown"
              + " (default: any number).")
  private int gpus;

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  private final PrintStream out;
  private final InstantSource clock;
  private final Map<String, String> environment;

  /** Writes the report to {@code out}; ages are counted to the clock's now. */
  public InspectCommand(PrintStream out, InstantSource clock) {
    this(out, clock, System.getenv());
  }

  InspectCommand(PrintStream out, InstantSource clock, Map<String, String> environment) {
    this.out = out;
    this.clock = clock;
    this.environment = Map.copyOf(environment);
  }

  /** Inspects and ends the process. */
  public static void main(String[] args) {
    CommandTree.main(
        new InspectCommand(CommandTree.standardOutput(), InstantSource.system()), args);
  }

  @Override
  public Integer call() throws UsageException {
    if (!Formats.isKnown(format)) {
      throw new UsageException(
          "format '" + format + "' is not known; known are " + Formats.words());
    }
    if (gpus < 0) {
      throw new UsageException("--gpus is below 0");
    }
    var settings =
        new Scanner.Settings(
            format, deep ? Level.L4 : Level.L3, Integer.MAX_VALUE, deep ? Limits.DEEP : USUAL);
    var place = place();
    var result = new Scanner(place, settings).scan().forGpus(gpus);
    if (!result.listed()) {
      throw new UsageException(place.text() + ": " + result.error());
    }
    var choice = Choice.of(candidates(result), result.error());
    out.print(
        json
            ? InspectReport.json(result, choice)
            : InspectReport.table(result, choice, clock.instant()));
    out.flush();
    return choice.chosen().isPresent() ? 0 : NONE;
  }

  private Place place() throws UsageException {
    try {
      if (!S3Url.isOne(directory)) {
        return Place.directory(Path.of(directory).toAbsolutePath().normalize());
      }
      return S3Options.place(
          directory,
          first(endpoint, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
          region(),
          () -> Credentials.of(environment),
          Path.of(first("", "AWS_CA_BUNDLE")));
    } catch (InvalidPathException e) {
      throw new UsageException("'" + directory + "' is no path: " + e.getReason());
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private String region() {
    var named = first(region, "AWS_REGION", "AWS_DEFAULT_REGION");
    return named.isEmpty() ? Endpoint.DEFAULT_REGION : named;
  }

  /** The option, or the first of these variables that is set; else empty. */
  private String first(String option, String... names) {
    return Stream.concat(
            Stream.of(option), Stream.of(names).map(n -> environment.getOrDefault(n, "")))
        .filter(value -> !value.isEmpty())
        .findFirst()
        .orElse("");
  }

  /** Those that a recovery would consider. */
  private static List<Candidate> candidates(Scanner.Result result) {
    return result.checkpoints().stream().limit(Choice.MOST).map(Found::candidate).toList();
  }
}
