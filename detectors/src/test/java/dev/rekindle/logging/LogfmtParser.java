package dev.rekindle.logging;

import java.util.LinkedHashMap;
import java.util.Map;

/** Reads a line of logfmt as others do: keys, and values plain or as a quoted string. */
final class LogfmtParser {
  private final String line;
  private int at;

  private LogfmtParser(String line) {
    this.line = line;
  }

  static Map<String, String> parse(String line) {
    return new LogfmtParser(line).all();
  }

  private Map<String, String> all() {
    Map<String, String> pairs = new LinkedHashMap<>();
    while (at < line.length()) {
      var equals = line.indexOf('=', at);
      var key = line.substring(at, equals);
      at = equals + 1;
      var value = at < line.length() && line.charAt(at) == '"' ? quoted() : plain();
      if (pairs.put(key, value) != null) {
        throw new IllegalStateException("twice: " + key);
      }
      if (at < line.length() && line.charAt(at++) != ' ') {
        throw new IllegalStateException("no space after " + key + " in " + line);
      }
    }
    return pairs;
  }

  private String plain() {
    var end = line.indexOf(' ', at);
    var value = line.substring(at, end < 0 ? line.length() : end);
    at += value.length();
    return value;
  }

  private String quoted() {
    var value = new StringBuilder();
    at++;
    while (line.charAt(at) != '"') {
      var c = line.charAt(at++);
      value.append(c == '\\' ? escaped() : c);
    }
    at++;
    return value.toString();
  }

  private char escaped() {
    var c = line.charAt(at++);
    return switch (c) {
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        at += 4;
        yield (char) Integer.parseInt(line.substring(at - 4, at), 16);
      }
      default -> c;
    };
  }
}
