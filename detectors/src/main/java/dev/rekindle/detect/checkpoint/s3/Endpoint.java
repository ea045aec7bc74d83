package dev.rekindle.detect.checkpoint.s3;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The server of an object store.
 *
 * @param scheme {@code https}, or {@code http} where that was requested
 * @param authority host, with the port where it is not the usual one
 * @param host host alone
 * @param bucketInHost whether the bucket is part of the host, not of the path
 */
public record Endpoint(String scheme, String authority, String host, boolean bucketInHost) {
  /** In the host of an endpoint, it stands for the name of the bucket. */
  public static final String BUCKET = "{bucket}";

  /** As AWS takes it for the region where nothing names one. */
  public static final String DEFAULT_REGION = "us-east-1";

  private static final int LONGEST = 300;
  private static final Pattern REGION = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,63}");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]+]");

  /** Where clouds serve a machine its own credentials, beside the link-local ones. */
  private static final Set<String> METADATA = Set.of("fd00:ec2:0:0:0:0:0:254", "100.100.100.200");

  /** Whether a text could be the name of a region. */
  public static boolean isRegion(String region) {
    return REGION.matcher(region).matches();
  }

  /**
   * Reads one.
   *
   * @param text {@code https://HOST}, {@code http://HOST:PORT}, {@code https://{bucket}.HOST};
   *     empty for AWS itself
   * @throws IllegalArgumentException where it is none; the message is a clause about the text
   */
  public static Endpoint parse(String text, String region, String bucket) {
    if (text.isEmpty()) {
      // A bucket with a dot fits no certificate.
      var in = bucket.contains(".") ? "" : bucket + ".";
      var host = in + "s3." + region + ".amazonaws.com";
      return new Endpoint("https", host, host, !in.isEmpty());
    }
    if (text.length() > LONGEST) {
      throw new IllegalArgumentException("is longer than " + LONGEST + " characters");
    }
    URI uri;
    try {
      uri = new URI(text.replace(BUCKET, bucket));
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("is no URL", e);
    }
    var scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    if (!scheme.equals("https") && !scheme.equals("http")) {
      throw new IllegalArgumentException("is neither an https nor an http URL");
    }
    var host = uri.getHost();
    if (host == null || !HOST.matcher(host).matches()) {
      throw new IllegalArgumentException("names no host");
    }
    if (uri.getRawUserInfo() != null
        || uri.getRawQuery() != null
        || uri.getRawFragment() != null
        || !(uri.getRawPath().isEmpty() || uri.getRawPath().equals("/"))) {
      throw new IllegalArgumentException("has more in it than a scheme, a host and a port");
    }
    var usual = uri.getPort() < 0 || uri.getPort() == (scheme.equals("https") ? 443 : 80);
    if (!usual && (uri.getPort() < 1 || uri.getPort() > 65_535)) {
      throw new IllegalArgumentException("names no port that there is");
    }
    return new Endpoint(
        scheme, usual ? host : host + ":" + uri.getPort(), host, text.contains(BUCKET));
  }

  /**
   * Whether its address may be asked. A tenant writes it, and the answer of a cloud's metadata
   * service is none that a store would give. The JDK keeps an address for as long as a scan takes,
   * so that the one that is asked is the one that was checked.
   *
   * @return why not, a clause; empty where it may
   */
  String refusal() {
    try {
      for (var address : InetAddress.getAllByName(host)) {
        if (address.isLinkLocalAddress()
            || address.isMulticastAddress()
            || address.isAnyLocalAddress()
            || METADATA.contains(address.getHostAddress())) {
          return "its address " + address.getHostAddress() + " is none of a store";
        }
      }
      return "";
    } catch (UnknownHostException e) {
      return "its name is not known";
    }
  }

  /** As it is named in reasons. */
  @Override
  public String toString() {
    return scheme + "://" + authority;
  }
}
