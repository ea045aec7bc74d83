package dev.rekindle.detect.checkpoint.s3;

import dev.rekindle.detect.checkpoint.files.Budget;
import dev.rekindle.detect.checkpoint.files.Place;
import dev.rekindle.detect.checkpoint.files.Storage;
import dev.rekindle.detect.checkpoint.files.StoreException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.InstantSource;
import javax.net.ssl.SSLContext;

/** A prefix of a bucket that is scanned. It is only ever listed and read. */
public final class Bucket implements Place {
  /** Requests of one scan of a recovery. */
  public static final int USUAL_REQUESTS = 20_000;

  private static final Duration CONNECT = Duration.ofSeconds(5);

  private final S3Url url;
  private final Endpoint endpoint;
  private final String region;
  private final Identity identity;
  private final InstantSource clock;
  private final int mostRequests;
  private final HttpClient client;
  private boolean flat = true;

  /** Whose requests they are. */
  public interface Identity {
    /**
     * Reads it again, for each scan.
     *
     * @throws IOException when it cannot be read
     * @throws IllegalArgumentException when it is not complete; the message is a clause
     */
    Credentials read() throws IOException;
  }

  /**
   * A prefix.
   *
   * @param tls what vouches for the server
   * @param clock of this machine: the store compares it with its own
   * @param mostRequests of one scan
   */
  public Bucket(
      S3Url url,
      Endpoint endpoint,
      String region,
      Identity identity,
      SSLContext tls,
      InstantSource clock,
      int mostRequests) {
    this.url = url;
    this.endpoint = endpoint;
    this.region = region;
    this.identity = identity;
    this.clock = clock;
    this.mostRequests = mostRequests;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT)
            .sslContext(tls)
            .build();
  }

  @Override
  public Storage open(Budget budget) throws IOException {
    var refusal = endpoint.refusal();
    if (!refusal.isEmpty()) {
      throw new StoreException(text(), endpoint + " is not asked: " + refusal);
    }
    Credentials credentials;
    try {
      credentials = identity.read();
    } catch (IllegalArgumentException e) {
      throw new StoreException(text(), "there are no access keys: " + e.getMessage());
    }
    var requests =
        new Requests(
            client,
            url,
            endpoint,
            new Signature(credentials, region, "s3"),
            clock,
            budget,
            mostRequests);
    var storage = S3Storage.of(requests, url, flat);
    flat = storage.isFlat();
    return storage;
  }

  @Override
  public String text() {
    return url.toString();
  }
}
