package dev.rekindle.detect.checkpoint.json;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads one JSON value, strictly (RFC 8259): nothing behind it but white space, no key twice, at
 * most so deep and so many values. Python's {@code NaN} and {@code Infinity}, which {@code json}
 * writes for a loss, are numbers as well.
 */
public final class Json {
  private static final int DEEPEST = 64;
  private static final int LONGEST_NUMBER = 64;

  private final String text;
  private final int most;
  private int at;
  private int values;
  private int depth;

  private Json(String text, int most) {
    this.text = text;
    this.most = most;
  }

  /**
   * Reads a value.
   *
   * @param utf8 the whole text
   * @param most values in it
   * @return a map with keys in their order, a list, a text, a Long, a Double, a Boolean, or null
   * @throws JsonException when it is anything else
   */
  public static @Nullable Object read(ByteBuffer utf8, int most) throws JsonException {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
    } catch (CharacterCodingException e) {
      throw new JsonException("not UTF-8");
    }
    var json = new Json(text, most);
    var value = json.value();
    json.white();
    if (json.at < text.length()) {
      throw new JsonException("something follows the value");
    }
    return value;
  }

  /**
   * Reads an object.
   *
   * @throws JsonException when it is none
   */
  @SuppressWarnings("unchecked")
  public static Map<String, @Nullable Object> object(ByteBuffer utf8, int most)
      throws JsonException {
    if (read(utf8, most) instanceof Map<?, ?> map) {
      return (Map<String, @Nullable Object>) map;
    }
    throw new JsonException("not a JSON object");
  }

  private @Nullable Object value() throws JsonException {
    if (++values > most) {
      throw new JsonException("more than " + most + " values");
    }
    white();
    return switch (next()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      case 'N' -> word("NaN", Double.NaN);
      case 'I' -> word("Infinity", Double.POSITIVE_INFINITY);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object() throws JsonException {
    deeper();
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    at++;
    white();
    if (next() != '}') {
      do {
        white();
        if (next() != '"') {
          throw new JsonException("no key where one is due");
        }
        var key = string();
        white();
        expect(':');
        if (map.containsKey(key)) {
          throw new JsonException("a key twice");
        }
        map.put(key, value());
        white();
      } while (taken(','));
    }
    expect('}');
    depth--;
    return map;
  }

  private List<@Nullable Object> array() throws JsonException {
    deeper();
    List<@Nullable Object> list = new ArrayList<>();
    at++;
    white();
    if (next() != ']') {
      do {
        list.add(value());
        white();
      } while (taken(','));
    }
    expect(']');
    depth--;
    return list;
  }

  private void deeper() throws JsonException {
    if (++depth > DEEPEST) {
      throw new JsonException("nested deeper than " + DEEPEST);
    }
  }

  private String string() throws JsonException {
    var start = ++at;
    for (var c = next(); c != '"' && c != '\\'; c = next()) {
      plain(c);
      at++;
    }
    if (next() == '"') {
      return text.substring(start, at++);
    }
    var read = new StringBuilder(text.substring(start, at));
    while (true) {
      var c = next();
      at++;
      if (c == '"') {
        return read.toString();
      }
      if (c == '\\') {
        read.append(escaped());
      } else {
        plain(c);
        read.append(c);
      }
    }
  }

  private static void plain(char c) throws JsonException {
    if (c < ' ') {
      throw new JsonException("a control character in a text");
    }
  }

  private char escaped() throws JsonException {
    var c = next();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> hexadecimal();
      default -> throw new JsonException("an escape that is none");
    };
  }

  private char hexadecimal() throws JsonException {
    var value = 0;
    for (int i = 0; i < 4; i++) {
      var digit = Character.digit(next(), 16);
      if (digit < 0) {
        throw new JsonException("an escape that is none");
      }
      value = value * 16 + digit;
      at++;
    }
    return (char) value;
  }

  private Object number() throws JsonException {
    var start = at;
    if (text.startsWith("-Infinity", at)) {
      at += "-Infinity".length();
      return Double.NEGATIVE_INFINITY;
    }
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    var number = text.substring(start, at);
    if (number.isEmpty() || number.length() > LONGEST_NUMBER || !isNumber(number)) {
      throw new JsonException("no value where one is due");
    }
    try {
      return Long.parseLong(number);
    } catch (NumberFormatException notALong) {
      return new BigDecimal(number).doubleValue();
    }
  }

  /** As the grammar of JSON has it; an exponent has at most three digits. */
  private static boolean isNumber(String number) {
    return number.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?");
  }

  private @Nullable Object word(String word, @Nullable Object value) throws JsonException {
    if (!text.startsWith(word, at)) {
      throw new JsonException("no value where one is due");
    }
    at += word.length();
    return value;
  }

  private void white() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char next() throws JsonException {
    if (at >= text.length()) {
      throw new JsonException("cut off");
    }
    return text.charAt(at);
  }

  private boolean taken(char c) throws JsonException {
    if (next() != c) {
      return false;
    }
    at++;
    return true;
  }

  private void expect(char c) throws JsonException {
    if (!taken(c)) {
      throw new JsonException("no '" + c + "' where one is due");
    }
  }
}
