package dev.rekindle.testbed.proxy;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * One call to the API server.
 *
 * @param method the HTTP method
 * @param path what is called
 * @param query its parameters, empty when there are none
 * @param body what is sent, as text
 */
public record Call(String method, String path, String query, String body) {
  private static final List<String> READS = List.of("GET", "HEAD", "OPTIONS");

  static Call of(String method, URI uri, byte[] body) {
    return new Call(
        method,
        uri.getPath(),
        Optional.ofNullable(uri.getQuery()).orElse(""),
        new String(body, StandardCharsets.UTF_8));
  }

  /** Whether it follows changes instead of being answered once. */
  public boolean watches() {
    return List.of(query.split("&")).contains("watch=true");
  }

  /** Whether it requests a change. */
  public boolean writes() {
    return !READS.contains(method);
  }

  /** The plural of the kind that it is about; empty when it is about none. */
  public String resource() {
    List<String> parts = List.of(path.split("/"));
    // "/api/v1/..." or "/apis/GROUP/VERSION/...", where "" stands before the first slash.
    int kind = parts.size() > 1 && parts.get(1).equals("apis") ? 4 : 3;
    if (parts.size() > kind + 2 && parts.get(kind).equals("namespaces")) {
      kind += 2;
    }
    return parts.size() > kind ? parts.get(kind) : "";
  }

  /** Whether it names something, in its path or in what it sends. */
  public boolean names(String what) {
    return path.contains(what) || body.contains(what);
  }

  @Override
  public String toString() {
    return method + " " + path + (query.isEmpty() ? "" : "?" + query);
  }
}
