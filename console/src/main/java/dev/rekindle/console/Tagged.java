package dev.rekindle.console;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** Answers with an ETag: a client that has the same already gets no body. */
final class Tagged {
  private static final int BYTES = 16;

  private Tagged() {}

  static HttpResponse<?> json(HttpRequest<?> request, String body) {
    return answer(request, body, MediaType.APPLICATION_JSON_TYPE);
  }

  static HttpResponse<?> answer(HttpRequest<?> request, String body, MediaType type) {
    String tag = "\"" + hash(body) + "\"";
    String had = request.getHeaders().get(HttpHeaders.IF_NONE_MATCH);
    boolean same =
        had != null
            && Arrays.stream(had.split(",", -1))
                .map(String::strip)
                .anyMatch(one -> one.equals(tag) || one.equals("W/" + tag));
    MutableHttpResponse<?> response =
        same ? HttpResponse.notModified() : HttpResponse.ok(body).contentType(type);
    // Who sees what differs from visitor to visitor and from minute to minute.
    return response
        .header(HttpHeaders.ETAG, tag)
        .header(HttpHeaders.CACHE_CONTROL, "private, no-cache")
        .header(HttpHeaders.VARY, "Authorization, Cookie");
  }

  private static String hash(String body) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(body.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
