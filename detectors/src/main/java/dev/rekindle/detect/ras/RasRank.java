package dev.rekindle.detect.ras;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** A rank of a communicator, as one that answered or as one that did not. */
record RasRank(
    long rank, String host, long process, boolean dead, boolean failed, Map<String, Long> counts) {
  /** Kinds of collectives that are counted; NCCL has five. */
  private static final int MOST_KINDS = 16;

  /** {@code ncclResult_t} of a communicator that works, or is at work. */
  private static final long SUCCESS = 0;

  private static final long IN_PROGRESS = 7;

  static RasRank read(JsonParser parser) throws IOException {
    long rank = -1;
    var host = "";
    long process = -1;
    boolean dead = false;
    boolean failed = false;
    Map<String, Long> counts = new HashMap<>();
    for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      switch (name) {
        case "rank" -> rank = RasValues.number(parser);
        case "host" -> host = RasValues.text(parser);
        case "pid" -> process = RasValues.number(parser);
        case "considered_dead" -> dead = parser.currentToken() == JsonToken.VALUE_TRUE;
        case "async_error" -> {
          long error = RasValues.number(parser);
          failed = error != SUCCESS && error != IN_PROGRESS;
        }
        // Some versions have these fields in an object of their own, some do not.
        case "status", "collective_counts" -> {
          if (parser.currentToken() != JsonToken.START_OBJECT) {
            parser.skipChildren();
            break;
          }
          var inner = name.equals("status") ? status(parser) : counts(parser, counts);
          dead = dead || inner.dead();
          failed = failed || inner.failed();
        }
        default -> parser.skipChildren();
      }
    }
    return new RasRank(rank, host, process, dead, failed, counts);
  }

  private record Inner(boolean dead, boolean failed) {}

  private static Inner status(JsonParser parser) throws IOException {
    boolean dead = false;
    boolean failed = false;
    for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      switch (name) {
        case "considered_dead" -> dead = parser.currentToken() == JsonToken.VALUE_TRUE;
        case "async_error" -> {
          long error = RasValues.number(parser);
          failed = error != SUCCESS && error != IN_PROGRESS;
        }
        default -> parser.skipChildren();
      }
    }
    return new Inner(dead, failed);
  }

  private static Inner counts(JsonParser parser, Map<String, Long> counts) throws IOException {
    for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      long count = RasValues.number(parser);
      if (count >= 0 && counts.size() < MOST_KINDS) {
        counts.put(name.length() <= 32 ? name : name.substring(0, 32), count);
      }
    }
    return new Inner(false, false);
  }
}
