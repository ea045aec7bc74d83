package dev.rekindle.detect.flightrecorder;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The same values as {@link PlainPickle} gives, from a dump in JSON. */
final class JsonTree {
  /** Entries have lists of lists of sizes: six levels. */
  private static final int DEEPEST = 32;

  private JsonTree() {}

  static @Nullable Object read(byte[] bytes, int mostTokens) throws DumpException {
    try (var parser = factory(mostTokens).createParser(bytes)) {
      parser.nextToken();
      return value(parser);
    } catch (IOException e) {
      throw new DumpException("not JSON, or cut off");
    }
  }

  private static JsonFactory factory(int mostTokens) {
    return JsonFactory.builder()
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(DEEPEST)
                .maxTokenCount(mostTokens)
                .maxNumberLength(32)
                .build())
        .build();
  }

  private static @Nullable Object value(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_NUMBER_INT -> parser.getLongValue();
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_STRING -> parser.getText();
      case null, default -> null;
    };
  }

  private static Map<String, @Nullable Object> object(JsonParser parser) throws IOException {
    Map<String, @Nullable Object> map = new HashMap<>();
    for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      map.put(name, value(parser));
    }
    return map;
  }

  private static List<@Nullable Object> array(JsonParser parser) throws IOException {
    List<@Nullable Object> list = new ArrayList<>();
    for (var token = parser.nextToken();
        token != null && !token.isStructEnd();
        token = parser.nextToken()) {
      list.add(value(parser));
    }
    return list;
  }
}
