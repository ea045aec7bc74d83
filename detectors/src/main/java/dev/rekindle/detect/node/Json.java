package dev.rekindle.detect.node;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Objects;

/**
 * Reads JSON that others keep in annotations and ConfigMaps, as a tree and strictly: bounded depth
 * and length, nothing after the end, no key twice.
 */
final class Json {
  private static final int MAX_DEPTH = 16;
  private static final int MAX_STRING = 512 * 1024;

  private static final ObjectMapper MAPPER =
      new ObjectMapper(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxStringLength(MAX_STRING)
                          .maxNumberLength(64)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);

  private Json() {}

  static JsonNode read(String text) throws JsonProcessingException {
    return Objects.requireNonNull(MAPPER.readTree(text));
  }
}
