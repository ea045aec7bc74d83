package dev.rekindle.controller.notification.webhook;

import dev.rekindle.detect.checkpoint.s3.Trust;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * HTTP clients, one for each Secret: it may hold authorities of its own, which are trusted beside
 * the public ones. Made at the first use, as a hundred authorities are in the memory of each, and
 * again when those of the Secret change.
 */
final class Clients implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final FileTime NEVER = FileTime.fromMillis(0);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<Path, Made> clients = new HashMap<>();

  /**
   * A client.
   *
   * @param authorities when those of the Secret were written
   */
  private record Made(HttpClient client, FileTime authorities) {}

  /**
   * The client for a Secret.
   *
   * @throws IOException when its authorities cannot be read
   */
  synchronized HttpClient of(Path secret) throws IOException {
    Path file = secret.resolve(Trust.FILE);
    FileTime written = written(file);
    Made made = clients.get(secret);
    if (made == null || !made.authorities().equals(written)) {
      if (made != null) {
        made.client().shutdown();
      }
      made = new Made(client(file), written);
      clients.put(secret, made);
    }
    return made.client();
  }

  private HttpClient client(Path authorities) throws IOException {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(CONNECT)
        .sslContext(Trust.in(authorities))
        .executor(threads)
        .build();
  }

  private static FileTime written(Path file) throws IOException {
    try {
      return Files.getLastModifiedTime(file);
    } catch (NoSuchFileException none) {
      return NEVER;
    }
  }

  /** Ends every request that is under way. */
  @Override
  public synchronized void close() {
    clients.values().forEach(made -> made.client().shutdownNow());
    clients.clear();
    threads.shutdownNow();
  }
}
