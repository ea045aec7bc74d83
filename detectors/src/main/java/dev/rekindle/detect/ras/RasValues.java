package dev.rekindle.detect.ras;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;

/** Values of an answer in JSON, each bounded. */
final class RasValues {
  private static final int DEEPEST = 16;
  private static final int LONGEST_TEXT = 64;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEEPEST)
                  .maxNumberLength(32)
                  .maxStringLength(4096)
                  .build())
          .build();

  private RasValues() {}

  static JsonParser parser(byte[] json) throws IOException {
    return JSON.createParser(json);
  }

  /** Reads one object of a list. */
  interface Read {
    void read() throws IOException;
  }

  /** Reads each object of a list; passes over whatever else is there. */
  static void list(JsonParser parser, Read element) throws IOException {
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      parser.skipChildren();
      return;
    }
    for (var token = parser.nextToken();
        token != JsonToken.END_ARRAY && token != null;
        token = parser.nextToken()) {
      if (token == JsonToken.START_OBJECT) {
        element.read();
      } else {
        parser.skipChildren();
      }
    }
  }

  static String text(JsonParser parser) throws IOException {
    if (!parser.currentToken().isScalarValue()) {
      parser.skipChildren();
      return "";
    }
    var text = parser.getText();
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT);
  }

  static long number(JsonParser parser) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
      return parser.getLongValue();
    }
    parser.skipChildren();
    return -1;
  }
}
