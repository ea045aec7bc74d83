package dev.rekindle.detect.checkpoint.s3;

import dev.rekindle.detect.checkpoint.files.Budget;
import dev.rekindle.detect.checkpoint.files.StoreException;
import dev.rekindle.detect.checkpoint.files.TimeOverException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * The requests of one scan: signed, counted, each bounded in bytes and time. No redirect is
 * followed: it would take a signature, and what the store holds, to another host. Threads may share
 * one.
 */
final class Requests {
  /** Of a whole scan. */
  private final int most;

  /**
   * How long the first try waits for a small answer, and the second twice as long: a late answer is
   * mostly a lost one, and another request is fast. AWS recommends 2 s and 4 s for
   * latency-sensitive applications of S3. With one pause of 20 s, a single lost request used up all
   * the time that a recovery waits for the inspector.
   */
  private static final Duration FIRST_TRY = Duration.ofSeconds(2);

  /** How long the last try waits: the store may be slow rather than the answer lost. */
  private static final Duration LAST_TRY = Duration.ofSeconds(20);

  /** What a slow link brings in a second, for large ranges. */
  private static final int SLOWEST_BYTES_PER_SECOND = 1024 * 1024;

  /** Bytes of a listing of 1,000 keys of usual length. */
  private static final int USUAL_PAGE = 512 * 1024;

  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final int TRIES = 3;
  private static final int ERROR_BYTES = 64 * 1024;
  private static final Pattern CODE = Pattern.compile("<Code>([A-Za-z]{1,60})</Code>");

  private final HttpClient client;
  private final S3Url url;
  private final Endpoint endpoint;
  private final Signature signature;
  private final InstantSource clock;
  private final Budget budget;
  private final AtomicInteger made = new AtomicInteger();

  Requests(
      HttpClient client,
      S3Url url,
      Endpoint endpoint,
      Signature signature,
      InstantSource clock,
      Budget budget,
      int most) {
    this.client = client;
    this.url = url;
    this.endpoint = endpoint;
    this.signature = signature;
    this.clock = clock;
    this.budget = budget;
    this.most = most;
  }

  /** A page of the listing. */
  Listing list(Map<String, String> parameters) throws IOException {
    var query = new StringBuilder();
    new TreeMap<>(parameters)
        .forEach(
            (name, value) ->
                query
                    .append(query.isEmpty() ? "" : "&")
                    .append(Keys.encode(name, false))
                    .append('=')
                    .append(Keys.encode(value, false)));
    var answer = send("GET", "", query.toString(), Map.of(), USUAL_PAGE, Listing.MOST_BYTES);
    if (answer.statusCode() != 200) {
      throw refused(answer);
    }
    try {
      return Listing.read(answer.body());
    } catch (IOException e) {
      throw new StoreException(url.toString(), endpoint + ": " + e.getMessage());
    }
  }

  /** An object's size and ETag, without its bytes. */
  Listing.Stored head(String key) throws IOException {
    var answer = send("HEAD", key, "", Map.of(), 0, 0);
    if (answer.statusCode() == 404) {
      throw new NoSuchFileException(key);
    }
    var bytes = answer.headers().firstValueAsLong("Content-Length").orElse(-1);
    if (answer.statusCode() != 200 || bytes < 0) {
      throw refused(answer);
    }
    return new Listing.Stored(
        key, bytes, java.time.Instant.EPOCH, answer.headers().firstValue("ETag").orElse(""));
  }

  /** Exactly these bytes of an object, as long as it is still the same one. */
  byte[] range(Listing.Stored object, long position, int length) throws IOException {
    if (length == 0) {
      return new byte[0];
    }
    var headers = new TreeMap<String, String>();
    headers.put("Range", "bytes=" + position + "-" + (position + length - 1));
    if (!object.tag().isEmpty()) {
      headers.put("If-Match", object.tag());
    }
    var answer = send("GET", object.key(), "", headers, length, length);
    if (answer.statusCode() == 404) {
      throw new NoSuchFileException(object.key());
    }
    if (answer.statusCode() == 412 || answer.statusCode() == 416) {
      throw new StoreException(object.key(), "the object was replaced while it was read");
    }
    var whole = answer.statusCode() == 200 && position == 0 && length == object.bytes();
    if (answer.statusCode() != 206 && !whole) {
      throw refused(answer);
    }
    if (answer.body().length != length) {
      throw new StoreException(object.key(), endpoint + " gave another range than was asked for");
    }
    return answer.body();
  }

  private HttpResponse<byte[]> send(
      String method,
      String key,
      String query,
      Map<String, String> headers,
      int expected,
      int mostBytes)
      throws IOException {
    for (int attempt = 1; ; attempt++) {
      if (made.incrementAndGet() > most) {
        throw new StoreException(key, "a scan makes " + most + " requests at most");
      }
      budget.time();
      try {
        var answer = once(method, key, query, headers, mostBytes, patience(attempt, expected));
        var passing = answer.statusCode() == 429 || answer.statusCode() >= 500;
        if (!passing || attempt == TRIES) {
          return answer;
        }
      } catch (StoreException e) {
        if (attempt == TRIES) {
          throw e;
        }
      }
      LockSupport.parkNanos(PAUSE.multipliedBy(attempt).toNanos());
    }
  }

  /** How long a try waits for its whole answer. */
  static Duration patience(int attempt, int expectedBytes) {
    if (attempt >= TRIES) {
      return LAST_TRY;
    }
    return FIRST_TRY
        .multipliedBy(attempt)
        .plusMillis(1_000L * expectedBytes / SLOWEST_BYTES_PER_SECOND);
  }

  private HttpResponse<byte[]> once(
      String method,
      String key,
      String query,
      Map<String, String> headers,
      int mostBytes,
      Duration patience)
      throws StoreException, TimeOverException {
    var path =
        (endpoint.bucketInHost() ? "/" : "/" + Keys.encode(url.bucket(), false) + "/")
            + Keys.encode(key, true);
    var signed = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
    signed.putAll(headers);
    signed.put("X-Amz-Content-SHA256", Signature.NO_BODY);
    signed.put("X-Amz-Date", Signature.time(clock.instant()));
    if (!signature.credentials().sessionToken().isEmpty()) {
      signed.put("X-Amz-Security-Token", signature.credentials().sessionToken());
    }
    var request =
        HttpRequest.newBuilder(URI.create(endpoint + path + (query.isEmpty() ? "" : "?" + query)))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .timeout(patience);
    signed.forEach(request::header);
    signed.put("Host", endpoint.authority());
    request.header("Authorization", signature.of(method, path, query, signed, Signature.NO_BODY));
    var answer =
        client.sendAsync(
            request.build(),
            head ->
                head.statusCode() < 300
                    ? BodyHandlers.limiting(BodyHandlers.ofByteArray(), mostBytes).apply(head)
                    : BodyHandlers.limiting(BodyHandlers.ofByteArray(), ERROR_BYTES).apply(head));
    try {
      // The time-out of a request ends with the headers of its answer.
      return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw failed(key, "did not answer within " + patience.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      var cause = e.getCause() == null ? e : e.getCause();
      throw failed(key, "did not answer: " + cause.getClass().getSimpleName(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(key, "was not waited for", e);
    } finally {
      answer.cancel(true);
    }
  }

  private StoreException failed(String key, String what, Exception cause) {
    var failure = new StoreException(key, endpoint + " " + what);
    failure.initCause(cause);
    return failure;
  }

  /** What a store says of a request that it does not answer as asked. */
  private StoreException refused(HttpResponse<byte[]> answer) {
    var code = CODE.matcher(new String(answer.body(), StandardCharsets.UTF_8));
    var region = answer.headers().firstValue("x-amz-bucket-region").orElse("");
    return new StoreException(
        url.toString(),
        endpoint
            + " answered "
            + answer.statusCode()
            + (code.find() ? " " + code.group(1) : "")
            + (Endpoint.isRegion(region) && !region.equals(signature.region())
                ? ": the bucket is in region " + region
                : ""));
  }
}
