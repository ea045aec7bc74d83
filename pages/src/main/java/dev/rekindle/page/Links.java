package dev.rekindle.page;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Where pages refer to: to each other where something serves them, to nothing in a file. */
public enum Links {
  /** Of pages that something serves. */
  SERVED,
  /** Of a page that stands alone. */
  NONE;

  boolean present() {
    return this == SERVED;
  }

  String recovery(String namespace, String name) {
    return "/recoveries/" + part(namespace) + "/" + part(name);
  }

  String node(String name) {
    return "/nodes/" + part(name);
  }

  String list() {
    return "/recoveries";
  }

  String fleet() {
    return "/fleet";
  }

  String policies() {
    return "/policies";
  }

  private static String part(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
