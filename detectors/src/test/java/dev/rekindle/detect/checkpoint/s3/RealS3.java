package dev.rekindle.detect.checkpoint.s3;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.TreeMap;

/** Writes to a server that is there, by its own keys. */
final class RealS3 {
  private final Endpoint endpoint;
  private final String region;
  private final Credentials credentials;
  private final HttpClient client = HttpClient.newHttpClient();

  RealS3(String endpoint, String region, Credentials credentials) {
    this.endpoint = Endpoint.parse(endpoint, region, "");
    this.region = region;
    this.credentials = credentials;
  }

  /** Makes a bucket, or puts an object. */
  void put(String path, byte[] bytes) throws Exception {
    var encoded = "/" + Keys.encode(path, true);
    var hash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
    headers.put("X-Amz-Content-SHA256", hash);
    headers.put("X-Amz-Date", Signature.time(Instant.now()));
    var request =
        HttpRequest.newBuilder(URI.create(endpoint + encoded))
            .PUT(HttpRequest.BodyPublishers.ofByteArray(bytes));
    headers.forEach(request::header);
    headers.put("Host", endpoint.authority());
    request.header(
        "Authorization",
        new Signature(credentials, region, "s3").of("PUT", encoded, "", headers, hash));
    var answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() >= 300 && answer.statusCode() != 409) {
      throw new IOException(answer.statusCode() + " " + answer.body());
    }
  }
}
