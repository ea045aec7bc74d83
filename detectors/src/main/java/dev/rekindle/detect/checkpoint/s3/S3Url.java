package dev.rekindle.detect.checkpoint.s3;

import java.util.regex.Pattern;

/**
 * Where in an object store checkpoints are: {@code s3://bucket/prefix}.
 *
 * @param bucket name of the bucket
 * @param prefix what the keys begin with, without a slash at its end; empty for the whole bucket
 */
public record S3Url(String bucket, String prefix) {
  /** How such an address begins. */
  public static final String SCHEME = "s3://";

  /** S3 takes keys of 1,024 bytes; names of files come behind the prefix. */
  private static final int LONGEST = 900;

  private static final Pattern BUCKET =
      Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9_-]|\\.(?!\\.)){1,61}[A-Za-z0-9]");

  /** Whether a text means to be one. */
  public static boolean isOne(String text) {
    return text.startsWith(SCHEME);
  }

  /**
   * Reads one; a slash at its end does not matter.
   *
   * @throws IllegalArgumentException where it is none; the message is a clause about the text
   */
  public static S3Url parse(String text) {
    if (!isOne(text)) {
      throw new IllegalArgumentException("does not begin with " + SCHEME);
    }
    var rest = text.substring(SCHEME.length());
    rest = rest.endsWith("/") ? rest.substring(0, rest.length() - 1) : rest;
    var slash = rest.indexOf('/');
    var bucket = slash < 0 ? rest : rest.substring(0, slash);
    var prefix = slash < 0 ? "" : rest.substring(slash + 1);
    if (!BUCKET.matcher(bucket).matches()) {
      throw new IllegalArgumentException("does not name a bucket");
    }
    if (prefix.length() > LONGEST) {
      throw new IllegalArgumentException("is longer than " + LONGEST + " characters");
    }
    if (slash >= 0 && !Keys.isPath(prefix)) {
      throw new IllegalArgumentException(
          "contains an empty, . or .. segment, or a control character");
    }
    return new S3Url(bucket, prefix);
  }

  /** The key of something below it. */
  String key(String path) {
    return prefix.isEmpty() ? path : path.isEmpty() ? prefix : prefix + "/" + path;
  }

  /** The address, without a slash at its end. */
  @Override
  public String toString() {
    return prefix.isEmpty() ? SCHEME + bucket : SCHEME + bucket + "/" + prefix;
  }
}
