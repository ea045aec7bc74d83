package dev.rekindle.detect.checkpoint.s3;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Whose requests they are. Never printed.
 *
 * @param accessKey the public half
 * @param secretKey the secret half; it signs and is never sent
 * @param sessionToken of temporary keys; empty for others
 */
public record Credentials(String accessKey, String secretKey, String sessionToken) {
  /** Name of the public half, in the environment and in a Secret. */
  public static final String ACCESS_KEY = "AWS_ACCESS_KEY_ID";

  /** Name of the secret half. */
  public static final String SECRET_KEY = "AWS_SECRET_ACCESS_KEY";

  /** Name of the token of temporary keys. */
  public static final String SESSION_TOKEN = "AWS_SESSION_TOKEN";

  private static final int LONGEST = 16 * 1024;

  /**
   * By the variables that the AWS tools take.
   *
   * @throws IllegalArgumentException where there are none
   */
  public static Credentials of(Map<String, String> environment) {
    var access = environment.getOrDefault(ACCESS_KEY, "").strip();
    var secret = environment.getOrDefault(SECRET_KEY, "").strip();
    var token = environment.getOrDefault(SESSION_TOKEN, "").strip();
    if (access.isEmpty() || secret.isEmpty()) {
      throw new IllegalArgumentException(
          (access.isEmpty() ? ACCESS_KEY : SECRET_KEY) + " is missing or empty");
    }
    if ((access + token).chars().anyMatch(c -> c <= ' ' || c >= 127)) {
      throw new IllegalArgumentException(ACCESS_KEY + " or " + SESSION_TOKEN + " is not printable");
    }
    return new Credentials(access, secret, token);
  }

  /**
   * By the files of a mounted Secret, which are called as the variables are. Read again for each
   * scan: a Secret may be rotated.
   *
   * @throws IOException when a file cannot be read
   * @throws IllegalArgumentException where one is missing
   */
  public static Credentials in(Path folder) throws IOException {
    return of(
        Map.of(
            ACCESS_KEY, file(folder.resolve(ACCESS_KEY)),
            SECRET_KEY, file(folder.resolve(SECRET_KEY)),
            SESSION_TOKEN, file(folder.resolve(SESSION_TOKEN))));
  }

  private static String file(Path path) throws IOException {
    if (!Files.exists(path)) {
      return "";
    }
    try (var in = Files.newInputStream(path)) {
      return new String(in.readNBytes(LONGEST), StandardCharsets.UTF_8);
    }
  }

  @Override
  public String toString() {
    return "Credentials[" + accessKey + "]";
  }
}
