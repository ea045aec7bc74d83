package dev.rekindle.testbed;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Follows the log files of pods on all nodes, straight from where the kubelets keep them. The
 * kubelet removes them with their pod; a file once opened is read to its end all the same.
 */
final class LogTail implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(30);
  private static final Pattern FOLDER = Pattern.compile("([^_]+)_([^_]+)_([^_]+)");
  private static final Pattern FILE = Pattern.compile("(\\d+)\\.log");

  private final Pattern pods;
  private final Consumer<LogLine> sink;
  private final Map<Path, Follower> followers = new HashMap<>();
  private final List<Path> nodes = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean closed;

  /**
   * Begins to follow.
   *
   * @param pods what {@code <namespace>_<pod>} has to match as a whole
   * @param sink takes the lines; called by one thread
   */
  LogTail(Pattern pods, Consumer<LogLine> sink) {
    this.pods = pods;
    this.sink = sink;
    thread = Thread.ofPlatform().daemon().name("tail " + pods).start(this::follow);
  }

  private void follow() {
    while (!closed) {
      poll();
      Await.pause(POLL);
    }
    poll();
    followers.values().forEach(Follower::close);
  }

  private void poll() {
    if (nodes.isEmpty()) {
      nodes.addAll(list(Testbed.RUN, "node-*"));
    }
    for (Path node : nodes) {
      for (Path pod : list(node.resolve("podlogs"), "*")) {
        Matcher folder = FOLDER.matcher(pod.getFileName().toString());
        if (folder.matches() && pods.matcher(folder.group(1) + "_" + folder.group(2)).matches()) {
          list(pod, "*").forEach(container -> open(node, folder, container));
        }
      }
    }
    followers.values().forEach(Follower::read);
  }

  private void open(Path node, Matcher folder, Path container) {
    for (Path log : list(container, "*.log")) {
      Matcher file = FILE.matcher(log.getFileName().toString());
      if (!followers.containsKey(log) && file.matches()) {
        LogLine.Source source =
            new LogLine.Source(
                node.getFileName().toString(),
                folder.group(2),
                folder.group(3),
                Integer.parseInt(file.group(1)));
        Follower.open(log, source, sink).ifPresent(f -> followers.put(log, f));
      }
    }
  }

  private static List<Path> list(Path folder, String which) {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, which)) {
      List<Path> found = new java.util.ArrayList<>();
      entries.forEach(found::add);
      return found;
    } catch (IOException | java.nio.file.DirectoryIteratorException goneOrNotThereYet) {
      return List.of();
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join(Duration.ofSeconds(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One file. */
  private static final class Follower {
    private final FileChannel file;
    private final LogLine.Source source;
    private final Consumer<LogLine> sink;
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
    private final java.io.ByteArrayOutputStream line = new java.io.ByteArrayOutputStream();

    private Follower(FileChannel file, LogLine.Source source, Consumer<LogLine> sink) {
      this.file = file;
      this.source = source;
      this.sink = sink;
    }

    static Optional<Follower> open(Path log, LogLine.Source source, Consumer<LogLine> sink) {
      try {
        return Optional.of(new Follower(FileChannel.open(log), source, sink));
      } catch (NoSuchFileException gone) {
        return Optional.empty();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    void read() {
      try {
        while (file.read(buffer.clear()) > 0) {
          buffer.flip();
          while (buffer.hasRemaining()) {
            byte next = buffer.get();
            if (next != '\n') {
              line.write(next);
              continue;
            }
            LogLine.parse(source, line.toString(StandardCharsets.UTF_8)).ifPresent(sink);
            line.reset();
          }
        }
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    void close() {
      try {
        file.close();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }
}
