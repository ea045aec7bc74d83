package dev.rekindle.detect.checkpoint.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.sun.net.httpserver.HttpExchange;
import dev.rekindle.detect.checkpoint.files.Budget;
import dev.rekindle.detect.checkpoint.files.Limits;
import dev.rekindle.detect.checkpoint.files.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that are late, wrong or none. */
class BucketErrorsTest extends BucketFixture {
  private Bucket bucket(Bucket.Identity identity) throws Exception {
    return new Bucket(
        new S3Url(S3Server.BUCKET, "run"),
        Endpoint.parse(server.endpoint(), S3Server.REGION, S3Server.BUCKET),
        S3Server.REGION,
        identity,
        SSLContext.getDefault(),
        InstantSource.system(),
        10);
  }

  private static void answer(HttpExchange exchange, int status, String body) {
    try {
      S3Server.answer(exchange, status, body.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "403, <Error><Code>AccessDenied</Code></Error>, answered 403 AccessDenied",
    "404, <Error><Code>NoSuchBucket</Code></Error>, answered 404 NoSuchBucket",
    "500, oops, answered 500",
    "200, <html/>, the answer is no listing",
    "200, no XML, makes no sense",
  })
  void shouldSayWhatTheStoreAnswered(int status, String body, String reason) throws Exception {
    server.trouble(
        exchange -> {
          answer(exchange, status, body);
          return true;
        });

    assertThatThrownBy(() -> storage(true))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(reason)
        .hasMessageNotContaining("secret");
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 307, 308})
  void shouldFollowNoRedirect(int status) throws Exception {
    try (var other = new S3Server()) {
      server.trouble(
          exchange -> {
            exchange.getResponseHeaders().set("Location", other.endpoint() + "/train-1/");
            exchange.getResponseHeaders().set("x-amz-bucket-region", "us-west-9");
            answer(exchange, status, "");
            return true;
          });

      // By the client that a scan has, not one of the test's own.
      var bucket = bucket(() -> S3Server.OWNER);
      assertThatThrownBy(() -> bucket.open(new Budget(Limits.USUAL, System::nanoTime)))
          .hasMessageContaining("answered " + status)
          .hasMessageContaining("the bucket is in region us-west-9");
      assertThat(other.asked()).isEmpty();
    }
  }

  @Test
  void shouldRetryWhenTheStoreIsBusy() throws Exception {
    server.put("run/a", new byte[1], THEN);
    var times = new AtomicInteger();
    server.trouble(
        exchange -> {
          if (times.incrementAndGet() <= 2) {
            answer(exchange, times.get() == 1 ? 503 : 429, "");
            return true;
          }
          return false;
        });

    assertThat(storage(true).list("", 10)).hasSize(1);
    assertThat(times).hasValue(3);
  }

  /** The first try for a listing or a block; the last one is for a store that is slow. */
  @ParameterizedTest
  @CsvSource({
    "1, 0, 2000",
    "2, 0, 4000",
    "3, 0, 20000",
    "1, 65536, 2062",
    "2, 8388608, 12000",
    "3, 8388608, 20000",
  })
  void shouldWaitByTryAndSize(int attempt, int bytes, long millis) {
    assertThat(Requests.patience(attempt, bytes)).hasMillis(millis);
  }

  /** One request in a thousand is never answered; the next one is. */
  @Test
  void shouldRetryWhereNoAnswerComes() throws Exception {
    server.put("run/a", new byte[1], THEN);
    var times = new AtomicInteger();
    var released = new CountDownLatch(1);
    server.trouble(_ -> times.incrementAndGet() == 1 && waited(released));

    try {
      // With one pause of 20 s a recovery would have stopped waiting for the inspector.
      var entries =
          assertTimeoutPreemptively(Duration.ofSeconds(15), () -> storage(true).list("", 10));
      assertThat(entries).hasSize(1);
    } finally {
      released.countDown();
    }
    assertThat(times).hasValue(2);
  }

  private static boolean waited(CountDownLatch released) {
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return true;
  }

  @Test
  void shouldStopAtItsRequests() throws Exception {
    server.put("run/a", new byte[100], THEN);
    var requests = requests(3, S3Server.OWNER);
    var storage = S3Storage.of(requests, new S3Url(S3Server.BUCKET, "run"), false);
    storage.list("", 10);
    storage.open("a").read(0, 10);
    assertThatThrownBy(() -> storage.list("", 10)).hasMessageContaining("3 requests at most");
  }

  /** Answers with so many pages of one object each, and tokens by their number, or the same one. */
  private AtomicInteger pages(int count, boolean sameToken) {
    var given = new AtomicInteger();
    server.trouble(
        exchange -> {
          var page = given.incrementAndGet();
          var more =
              page < count
                  ? "<IsTruncated>true</IsTruncated><NextContinuationToken>%s</NextContinuationToken>"
                      .formatted(sameToken ? "t" : "t" + page)
                  : "";
          answer(
              exchange,
              200,
              ("<ListBucketResult><Contents><Key>run/%d</Key><Size>1</Size>"
                      + "<LastModified>%s</LastModified></Contents>%s</ListBucketResult>")
                  .formatted(page, THEN, more));
          return true;
        });
    return given;
  }

  @ParameterizedTest
  @CsvSource({"20, true, 20", "21, false, 20", "100000, false, 20"})
  void shouldListEachFolderWhereTheWholeIsTooMuch(int count, boolean flat, int asked)
      throws Exception {
    var given = pages(count, false);
    assertThat(storage(true).isFlat()).isEqualTo(flat);
    assertThat(given).hasValue(asked);
  }

  @Test
  void shouldNotRequestTheSamePageForEver() {
    var given = pages(100_000, true);
    assertThatThrownBy(() -> storage(true)).hasMessageContaining("repeats the same page");
    assertThat(given).hasValue(2);
  }

  @Test
  void shouldNotMixTwoObjectsOfOneName() throws Exception {
    server.put("run/a", new byte[100], THEN);
    var storage = storage(true);
    server.put("run/a", "another".repeat(50).getBytes(StandardCharsets.UTF_8), THEN);

    assertThatThrownBy(() -> storage.open("a").read(0, 10))
        .hasMessageContaining("replaced while it was read");
    server.remove("run/a");
    assertThatThrownBy(() -> storage.open("a").read(0, 10)).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void shouldTakeNoMoreBytesThanItRequested() throws Exception {
    server.put("run/a", new byte[200_000], THEN);
    var storage = storage(true);
    server.trouble(
        exchange -> {
          answer(exchange, 206, "x".repeat(190_000));
          return true;
        });

    assertThatThrownBy(() -> storage.open("a").read(0, 100)).isInstanceOf(StoreException.class);
    server.trouble(
        exchange -> {
          answer(exchange, 206, "x");
          return true;
        });
    assertThatThrownBy(() -> storage.open("a").read(0, 100))
        .hasMessageContaining("another range than was asked for");
  }

  @Test
  void shouldBeRefusedWithOtherKeys() throws Exception {
    var other = new Credentials("AKIDTEST", "guessed", "");

    assertThatThrownBy(
            () -> S3Storage.of(requests(9, other), new S3Url(S3Server.BUCKET, "run"), true))
        .hasMessageContaining("403 SignatureDoesNotMatch")
        .hasMessageNotContaining("guessed");
    assertThat(other.toString()).doesNotContain("guessed");
  }

  @Test
  void shouldSayWhatIsMissing() throws Exception {
    var bucket = bucket(() -> Credentials.of(java.util.Map.of("AWS_ACCESS_KEY_ID", "x")));

    assertThatThrownBy(() -> bucket.open(new Budget(Limits.USUAL, System::nanoTime)))
        .hasMessageContaining("AWS_SECRET_ACCESS_KEY is missing or empty");
    assertThat(server.asked()).isEmpty();
  }
}
