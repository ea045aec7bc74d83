package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.files.Place;
import dev.rekindle.detect.checkpoint.s3.Bucket;
import dev.rekindle.detect.checkpoint.s3.Endpoint;
import dev.rekindle.detect.checkpoint.s3.S3Url;
import dev.rekindle.detect.checkpoint.s3.Trust;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;

/** A bucket as options of a command name it. */
final class S3Options {
  private S3Options() {}

  /**
   * The place.
   *
   * @param url {@code s3://BUCKET/PREFIX}
   * @param endpoint URL of the server; empty for AWS itself
   * @param authorities file of authorities in PEM that vouch for it; need not be there
   * @throws IllegalArgumentException where one of them makes no sense; the message says which
   */
  static Place place(
      String url, String endpoint, String region, Bucket.Identity identity, Path authorities) {
    if (!Endpoint.isRegion(region)) {
      throw new IllegalArgumentException("region '" + region + "' is none");
    }
    S3Url where;
    try {
      where = S3Url.parse(url);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("'" + url + "' " + e.getMessage(), e);
    }
    try {
      return new Bucket(
          where,
          Endpoint.parse(endpoint, region, where.bucket()),
          region,
          identity,
          Trust.in(authorities),
          InstantSource.system(),
          Bucket.USUAL_REQUESTS);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("endpoint '" + endpoint + "' " + e.getMessage(), e);
    } catch (IOException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }
}
