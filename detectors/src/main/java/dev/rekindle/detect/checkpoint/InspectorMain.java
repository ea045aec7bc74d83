package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.ShortDuration;
import dev.rekindle.detect.checkpoint.files.Place;
import dev.rekindle.detect.checkpoint.s3.Credentials;
import dev.rekindle.detect.checkpoint.s3.Endpoint;
import dev.rekindle.detect.checkpoint.s3.S3Url;
import dev.rekindle.detect.checkpoint.s3.Trust;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The checkpoint inspector: lists the checkpoints of one directory or bucket and says which are
 * complete, one JSON line a scan, until its deadline. Knows no Kubernetes and loads nothing but the
 * JDK, as its start is part of every recovery.
 */
public final class InspectorMain {
  private InspectorMain() {}

  /**
   * Runs until the deadline.
   *
   * @param args {@code --dir DIR --format auto --interval 250ms --deadline 120s}, and for {@code
   *     --dir s3://BUCKET/PREFIX} also {@code --endpoint URL --region REGION --credentials FOLDER};
   *     only the directory is required. Exit code 2 says that they make no sense
   */
  public static void main(String[] args) {
    Options options;
    try {
      options = Options.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println("inspect: " + e.getMessage());
      System.exit(2);
      return;
    }
    var out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.US_ASCII);
    run(options, InstantSource.system(), out);
  }

  /** Scans until the deadline; the first scan is made at once, whatever the deadline. */
  static void run(Options options, InstantSource clock, PrintStream out) {
    var start = System.nanoTime();
    var usual = Scanner.Settings.USUAL;
    var scanner =
        new Scanner(
            options.place(),
            new Scanner.Settings(options.format(), usual.upTo(), usual.most(), usual.limits()));
    for (long scan = 1; ; scan++) {
      var began = clock.instant();
      out.print(ScanLine.write(scan, began, options.place().text(), scanner.scan()) + "\n");
      out.flush();
      var next = options.interval().multipliedBy(scan).toNanos();
      if (next >= options.deadline().toNanos()) {
        return;
      }
      for (var left = next - (System.nanoTime() - start);
          left > 0;
          left = next - (System.nanoTime() - start)) {
        LockSupport.parkNanos(left);
      }
    }
  }

  /**
   * What it was asked to do.
   *
   * @param place the checkpoint directory, or the prefix of a bucket
   * @param format name of the only format to accept, or {@link Formats#AUTO}
   * @param interval from scan to scan
   * @param deadline when to end
   */
  record Options(Place place, String format, Duration interval, Duration deadline) {
    static Options parse(String[] args) {
      var values = new HashMap<String, String>();
      values.put("--format", Formats.AUTO);
      values.put("--interval", "250ms");
      values.put("--deadline", "120s");
      values.put("--dir", "");
      values.put("--endpoint", "");
      values.put("--region", Endpoint.DEFAULT_REGION);
      values.put("--credentials", "");
      for (int i = 0; i < args.length; i += 2) {
        if (!values.containsKey(args[i]) || i + 1 == args.length) {
          throw new IllegalArgumentException("unknown or incomplete option '" + args[i] + "'");
        }
        values.put(args[i], args[i + 1]);
      }
      var format = values.getOrDefault("--format", "");
      if (!Formats.isKnown(format)) {
        throw new IllegalArgumentException(
            "format '" + format + "' is not known; known are " + Formats.words());
      }
      var interval = ShortDuration.parse(values.getOrDefault("--interval", ""));
      if (interval.toMillis() < 10) {
        throw new IllegalArgumentException("--interval is below 10ms");
      }
      return new Options(
          place(values),
          format,
          interval,
          ShortDuration.parse(values.getOrDefault("--deadline", "")));
    }

    private static Place place(Map<String, String> values) {
      var text = values.getOrDefault("--dir", "");
      if (!S3Url.isOne(text)) {
        return Place.directory(directory(text));
      }
      var folder = Path.of(values.getOrDefault("--credentials", ""));
      return S3Options.place(
          text,
          values.getOrDefault("--endpoint", ""),
          values.getOrDefault("--region", ""),
          () -> Credentials.in(folder),
          folder.resolve(Trust.FILE));
    }

    private static Path directory(String text) {
      try {
        var path = Path.of(text);
        if (path.isAbsolute()) {
          return path.normalize();
        }
      } catch (InvalidPathException e) {
        throw new IllegalArgumentException("--dir is no path: " + e.getReason(), e);
      }
      throw new IllegalArgumentException("--dir '" + text + "' is not an absolute path");
    }
  }
}
