package dev.rekindle.detect.checkpoint.s3;

import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import javax.net.ssl.SSLContext;

/**
 * A store that a test may fill: the one in this process, or with {@code -Ds3.endpoint=URL} and
 * {@code -Ds3.access}, {@code -Ds3.secret}, {@code -Ds3.region} a real one.
 */
public final class Stores implements AutoCloseable {
  private static final String REAL = System.getProperty("s3.endpoint", "");

  private final String bucket = REAL.isEmpty() ? S3Server.BUCKET : "rekindle-" + UUID.randomUUID();
  private final String region = System.getProperty("s3.region", S3Server.REGION);
  private final S3Server own;
  private final Credentials credentials;
  private final String endpoint;

  /** An empty bucket. */
  public Stores() throws Exception {
    own = new S3Server();
    endpoint = REAL.isEmpty() ? own.endpoint() : REAL;
    credentials =
        REAL.isEmpty()
            ? S3Server.OWNER
            : new Credentials(
                System.getProperty("s3.access", ""), System.getProperty("s3.secret", ""), "");
    if (isReal()) {
      new RealS3(endpoint, region, credentials).put(bucket, new byte[0]);
    }
  }

  /** Whether objects are dated by another clock than the test's. */
  public boolean isReal() {
    return !REAL.isEmpty();
  }

  /** Puts an object there; a real server dates it itself. */
  public void put(String key, byte[] bytes, Instant when) throws Exception {
    if (isReal()) {
      new RealS3(endpoint, region, credentials).put(bucket + "/" + key, bytes);
    } else {
      own.put(key, bytes, when);
    }
  }

  /** URL of the server. */
  public String endpoint() {
    return endpoint;
  }

  /** Region of the bucket. */
  public String region() {
    return region;
  }

  /** Whose it is. */
  public Credentials credentials() {
    return credentials;
  }

  /** Where that is. */
  public S3Url url(String prefix) {
    return new S3Url(bucket, prefix);
  }

  /** As it is scanned. */
  public Bucket place(String prefix) throws Exception {
    return new Bucket(
        url(prefix),
        Endpoint.parse(endpoint, region, bucket),
        region,
        () -> credentials,
        SSLContext.getDefault(),
        InstantSource.system(),
        Bucket.USUAL_REQUESTS);
  }

  @Override
  public void close() {
    own.close();
  }
}
