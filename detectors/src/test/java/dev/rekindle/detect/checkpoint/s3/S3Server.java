package dev.rekindle.detect.checkpoint.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.function.Predicate;

/**
 * As much of S3 as is read, in this process: ListObjectsV2, HEAD and GET of a range, with
 * signatures checked. What it gives is compared with what a real server gives by {@link
 * S3ServerTest}.
 */
public final class S3Server implements AutoCloseable {
  /** Whose requests it answers. */
  public static final Credentials OWNER = new Credentials("AKIDTEST", "secret+/x", "");

  static final String BUCKET = "train-1";
  static final String REGION = "eu-test-1";

  private final HttpServer server;
  private final ConcurrentSkipListMap<String, Stored> objects = new ConcurrentSkipListMap<>();
  private final List<String> log = new ArrayList<>();
  private Predicate<HttpExchange> trouble = _ -> false;

  @SuppressWarnings("ArrayRecordComponent") // Bytes that are never changed.
  private record Stored(byte[] bytes, Instant modified) {
    String tag() {
      return "\"" + Integer.toHexString(Arrays.hashCode(bytes)) + "\"";
    }
  }

  /** A server without objects. */
  public S3Server() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::handle);
    server.start();
  }

  /** Its URL. */
  public String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Puts an object there. */
  public void put(String key, byte[] bytes, Instant modified) {
    objects.put(key, new Stored(bytes, modified.truncatedTo(ChronoUnit.SECONDS)));
  }

  /** Takes an object away. */
  void remove(String key) {
    objects.remove(key);
  }

  /** Answers by itself where that is so; it says whether it has answered. */
  void trouble(Predicate<HttpExchange> answered) {
    trouble = answered;
  }

  /** Methods and paths that were requested since the last time. */
  List<String> asked() {
    synchronized (log) {
      var all = List.copyOf(log);
      log.clear();
      return all;
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      synchronized (log) {
        log.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getRawPath());
      }
      if (trouble.test(exchange)) {
        return;
      }
      if (!isSigned(exchange)) {
        answer(exchange, 403, error("SignatureDoesNotMatch"));
        return;
      }
      var path = exchange.getRequestURI().getRawPath();
      if (!path.startsWith("/" + BUCKET + "/")) {
        answer(exchange, 404, error("NoSuchBucket"));
        return;
      }
      var key = Keys.decode(path.substring(BUCKET.length() + 2).replace("+", "%2B"));
      if (key.isEmpty()) {
        answer(exchange, 200, list(parameters(exchange)).getBytes(StandardCharsets.UTF_8));
      } else {
        object(exchange, objects.get(key));
      }
    }
  }

  private boolean isSigned(HttpExchange exchange) {
    var given = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
    var headers = new TreeMap<String, String>();
    var names = given.replaceAll(".*SignedHeaders=([^,]*),.*", "$1");
    for (var name : names.split(";", -1)) {
      headers.put(name, String.valueOf(exchange.getRequestHeaders().getFirst(name)));
    }
    var uri = exchange.getRequestURI();
    return new Signature(OWNER, REGION, "s3")
        .of(
            exchange.getRequestMethod(),
            uri.getRawPath(),
            uri.getRawQuery() == null ? "" : uri.getRawQuery(),
            headers,
            String.valueOf(exchange.getRequestHeaders().getFirst("x-amz-content-sha256")))
        .equals(given);
  }

  private static Map<String, String> parameters(HttpExchange exchange) {
    var parameters = new HashMap<String, String>();
    for (var one : exchange.getRequestURI().getRawQuery().split("&", -1)) {
      var equals = one.indexOf('=');
      parameters.put(one.substring(0, equals), Keys.decode(one.substring(equals + 1)));
    }
    return parameters;
  }

  private String list(Map<String, String> asked) {
    var prefix = asked.getOrDefault("prefix", "");
    var delimiter = asked.getOrDefault("delimiter", "");
    var most = Integer.parseInt(asked.getOrDefault("max-keys", "1000"));
    var xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.append("<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    xml.append("<EncodingType>url</EncodingType>");
    var after = asked.getOrDefault("continuation-token", "");
    var count = 0;
    var last = "";
    for (var entry : objects.tailMap(prefix, true).entrySet()) {
      var key = entry.getKey();
      if (!key.startsWith(prefix)) {
        break;
      }
      var end = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
      var shown = end < 0 ? key : key.substring(0, end + 1);
      if (shown.equals(last) || (!after.isEmpty() && shown.compareTo(after) <= 0)) {
        continue;
      }
      if (count == most) {
        xml.append("<NextContinuationToken>").append(text(last)).append("</NextContinuationToken>");
        break;
      }
      count++;
      last = shown;
      xml.append(end < 0 ? contents(key, entry.getValue()) : prefixes(shown));
    }
    return xml.append("<IsTruncated>")
        .append(xml.indexOf("<NextContinuationToken>") >= 0)
        .append("</IsTruncated></ListBucketResult>")
        .toString();
  }

  private static String contents(String key, Stored stored) {
    return ("<Contents><Key>%s</Key><LastModified>%s</LastModified><ETag>%s</ETag><Size>%d</Size>"
            + "<Owner><ID>1</ID></Owner></Contents>")
        .formatted(
            Keys.encode(key, true).replace("%20", "+"),
            stored.modified().toString().replace("Z", ".000Z"),
            stored.tag().replace("\"", "&quot;"),
            stored.bytes().length);
  }

  private static String prefixes(String shown) {
    return "<CommonPrefixes><Prefix>" + Keys.encode(shown, true) + "</Prefix></CommonPrefixes>";
  }

  private static String text(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }

  private static byte[] error(String code) {
    return ("<Error><Code>" + code + "</Code><Message>x</Message></Error>")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static void object(HttpExchange exchange, @org.jspecify.annotations.Nullable Stored found)
      throws IOException {
    if (found == null) {
      answer(exchange, 404, error("NoSuchKey"));
      return;
    }
    var match = exchange.getRequestHeaders().getFirst("If-Match");
    if (match != null && !match.equals(found.tag())) {
      answer(exchange, 412, error("PreconditionFailed"));
      return;
    }
    exchange.getResponseHeaders().set("ETag", found.tag());
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.getResponseHeaders().set("Content-Length", "" + found.bytes().length);
      exchange.sendResponseHeaders(200, -1);
      return;
    }
    var range = String.valueOf(exchange.getRequestHeaders().getFirst("Range"));
    var ends = range.substring("bytes=".length()).split("-", -1);
    var from = Integer.parseInt(ends[0]);
    var to = Math.min(Integer.parseInt(ends[1]), found.bytes().length - 1);
    answer(exchange, 206, Arrays.copyOfRange(found.bytes(), from, to + 1));
  }

  static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
    var none = body.length == 0 || exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, none ? -1 : body.length);
    if (!none) {
      exchange.getResponseBody().write(body);
    }
  }
}
