package dev.rekindle.controller.notification.webhook;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The files of a webhook's Secret, as the kubelet mounts them. Read for each notification, so that
 * a new key holds once the kubelet has written it.
 */
record SecretFiles(Path folder) {
  private static final String KEYS = "secret";
  private static final String URL = "url";
  private static final int MOST_BYTES = 4096;

  /** The keys of the signature; empty where there is no such file. */
  Optional<SigningKeys> keys() throws IOException {
    return read(KEYS).map(SigningKeys::parse);
  }

  /** The URL; empty where there is no such file. */
  Optional<String> url() throws IOException {
    return read(URL).map(String::strip);
  }

  private Optional<String> read(String name) throws IOException {
    try (InputStream file = Files.newInputStream(folder.resolve(name))) {
      return Optional.of(new String(file.readNBytes(MOST_BYTES), StandardCharsets.UTF_8));
    } catch (NoSuchFileException none) {
      return Optional.empty();
    }
  }
}
