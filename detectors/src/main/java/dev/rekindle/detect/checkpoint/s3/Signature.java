package dev.rekindle.detect.checkpoint.s3;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * AWS Signature Version 4, in the header {@code Authorization} (AWS General Reference, "Signing AWS
 * requests"). Without state.
 *
 * @param credentials whose request it is
 * @param region region of the bucket
 * @param service {@code s3}, or what a test vector says
 */
record Signature(Credentials credentials, String region, String service) {
  /** SHA-256 of nothing: what a request without a body says of it. */
  static final String NO_BODY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

  private static final String ALGORITHM = "AWS4-HMAC-SHA256";
  private static final String END = "aws4_request";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  /** When a request is made, as it is signed. */
  static String time(Instant now) {
    return TIME.format(now);
  }

  /**
   * The value of {@code Authorization}.
   *
   * @param path as it is sent, encoded once
   * @param query as it is sent: names and values encoded, names in order
   * @param headers that are signed, with their values; {@code Host} and {@code X-Amz-Date} among
   *     them
   * @param bodyHash SHA-256 of the body in hexadecimal
   */
  String of(
      String method, String path, String query, Map<String, String> headers, String bodyHash) {
    SortedMap<String, String> sorted = new TreeMap<>();
    headers.forEach((name, value) -> sorted.put(lower(name), value.strip().replaceAll(" +", " ")));
    var names = String.join(";", sorted.keySet());
    var time = sorted.getOrDefault("x-amz-date", "");
    var lines =
        sorted.entrySet().stream()
            .map(header -> header.getKey() + ":" + header.getValue() + "\n")
            .collect(Collectors.joining());
    var request = String.join("\n", method, path, query, lines, names, bodyHash);
    var day = time.substring(0, Math.min(8, time.length()));
    var scope = String.join("/", day, region, service, END);
    var text = String.join("\n", ALGORITHM, time, scope, sha256(request));
    var key = hmac(utf8("AWS4" + credentials.secretKey()), day);
    for (var part : new String[] {region, service, END}) {
      key = hmac(key, part);
    }
    return ALGORITHM
        + " Credential="
        + credentials.accessKey()
        + "/"
        + scope
        + ",SignedHeaders="
        + names
        + ",Signature="
        + HexFormat.of().formatHex(hmac(key, text));
  }

  /** Of the names of headers, which are ASCII. */
  private static String lower(String name) {
    return name.toLowerCase(java.util.Locale.ROOT);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String sha256(String text) {
    try {
      var digest = MessageDigest.getInstance("SHA-256").digest(utf8(text));
      return HexFormat.of().formatHex(digest);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(utf8(text));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HmacSHA256", e);
    }
  }
}
