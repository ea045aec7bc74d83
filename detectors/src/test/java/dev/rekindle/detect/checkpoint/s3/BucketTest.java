package dev.rekindle.detect.checkpoint.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import dev.rekindle.detect.checkpoint.files.Budget;
import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Limits;
import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.files.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BucketTest {
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

  private final S3Server server = new S3Server();

  @AfterEach
  void stop() {
    server.close();
  }

  private Requests requests(int most, Credentials credentials) throws Exception {
    return new Requests(
        java.net.http.HttpClient.newBuilder()
            .followRedirects(java.net.http.HttpClient.Redirect.NEVER)
            .build(),
        new S3Url(S3Server.BUCKET, "run"),
        Endpoint.parse(server.endpoint(), S3Server.REGION, S3Server.BUCKET),
        new Signature(credentials, S3Server.REGION, "s3"),
        InstantSource.system(),
        new Budget(Limits.USUAL, System::nanoTime),
        most);
  }

  private S3Storage storage(boolean flat) throws Exception {
    return S3Storage.of(requests(1_000, S3Server.OWNER), new S3Url(S3Server.BUCKET, "run"), flat);
  }

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

  private static Set<String> shown(List<Entry> entries) {
    var all = new TreeSet<String>();
    entries.forEach(e -> all.add(e.name() + " " + e.kind() + " " + e.bytes()));
    return all;
  }

  @Test
  void shouldSeeTheSameFoldersWhetherAllIsListedAtOnceOrEach() throws Exception {
    var chance = new Random(7);
    var names = List.of("a", "b", "a-1", "a.b", "é", " x", "0", "%41", "+", "~");
    for (int i = 0; i < 200; i++) {
      var key = new StringBuilder("run");
      for (int depth = 0; depth <= chance.nextInt(4); depth++) {
        key.append('/').append(names.get(chance.nextInt(names.size())));
      }
      server.put(key.toString(), new byte[chance.nextInt(9)], THEN);
    }
    // What no directory could hold is not looked at.
    for (var odd : List.of("run/", "run//x", "run/a//y", "run/../etc", "run/./z", "run2/a", "ru")) {
      server.put(odd, new byte[1], THEN);
    }
    for (var folder : List.of("", "a", "a/b", "a-1", "é", " x", "%41", "+/a", "none")) {
      assertThat(shown(storage(true).list(folder, 1_000)))
          .isEqualTo(shown(storage(false).list(folder, 1_000)));
    }
    assertThat(storage(true).list("", 3)).hasSize(4);
    assertThat(storage(false).list("", 3)).hasSize(4);
    assertThat(storage(false).names("", 3)).hasSize(3);
    assertThat(shown(storage(true).list("", 1_000))).noneMatch(name -> name.startsWith(".."));
  }

  @Test
  void shouldSayThatNothingIsThere() throws Exception {
    server.put("runner/x", new byte[1], THEN);

    assertThatThrownBy(() -> storage(true).list("", 10))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("there is nothing below s3://train-1/run");
  }

  @Test
  void shouldReadAnyRangeWithFewRequests() throws Exception {
    var bytes = new byte[700_000];
    new Random(1).nextBytes(bytes);
    server.put("run/file", bytes, THEN);
    for (var flat : new boolean[] {true, false}) {
      try (var source = storage(flat).open("file")) {
        server.asked();
        assertThat(source.size()).isEqualTo(bytes.length);
        for (int i = 0; i < 100; i++) {
          check(source, bytes, 1_000 + i * 600, 500);
        }
        assertThat(server.asked()).hasSizeLessThan(4);
        check(source, bytes, 0, bytes.length);
        check(source, bytes, bytes.length - 9, 9);
        check(source, bytes, bytes.length, 0);
        assertThatThrownBy(() -> source.read(bytes.length - 8, 9))
            .isInstanceOf(java.io.EOFException.class);
      }
    }
    assertThatThrownBy(() -> storage(false).open("none")).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void shouldFetchAheadWhatIsFarApart() throws Exception {
    var bytes = new byte[3_000_000];
    new Random(2).nextBytes(bytes);
    server.put("run/file", bytes, THEN);
    var positions = new long[40];
    for (int i = 0; i < positions.length; i++) {
      positions[i] = i * 74_999L + (i % 3 == 0 ? 0 : 50);
    }
    try (var source = storage(true).open("file")) {
      source.ahead(positions, 100);
      assertThat(server.asked().size()).isBetween(30, 45);
      for (var position : positions) {
        check(source, bytes, (int) position, 100);
      }
      assertThat(server.asked()).isEmpty();
    }
  }

  @Test
  void shouldFetchTogetherWhatIsNearToOneAnother() throws Exception {
    var bytes = new byte[1_000_000];
    new Random(3).nextBytes(bytes);
    server.put("run/file", bytes, THEN);
    var positions = new long[100];
    for (int i = 0; i < positions.length; i++) {
      positions[i] = i * 9_000L;
    }
    try (var source = storage(true).open("file")) {
      source.ahead(positions, 100);
      assertThat(server.asked().size()).isBetween(5, 20);
      for (var position : positions) {
        check(source, bytes, (int) position, 100);
      }
    }
  }

  private static void check(Source source, byte[] bytes, int from, int length) throws IOException {
    var read = new byte[length];
    source.read(from, length).get(read);
    assertThat(read).isEqualTo(java.util.Arrays.copyOfRange(bytes, from, from + length));
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
  void shouldAskAgainWhenTheStoreIsBusy() throws Exception {
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
  void shouldNotAskForTheSamePageForEver() {
    var given = pages(100_000, true);

    assertThatThrownBy(() -> storage(true)).hasMessageContaining("the same page again and again");
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
  void shouldTakeNoMoreBytesThanItAskedFor() throws Exception {
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
