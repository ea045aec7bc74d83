package dev.rekindle.detect.checkpoint.s3;

import dev.rekindle.detect.checkpoint.files.Budget;
import dev.rekindle.detect.checkpoint.files.Limits;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;

/** A bucket on a server of this process. */
abstract class BucketFixture {
  static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");
  final S3Server server = new S3Server();

  @AfterEach
  void stop() {
    server.close();
  }

  Requests requests(int most, Credentials credentials) throws Exception {
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

  S3Storage storage(boolean flat) throws Exception {
    return S3Storage.of(requests(1_000, S3Server.OWNER), new S3Url(S3Server.BUCKET, "run"), flat);
  }
}
