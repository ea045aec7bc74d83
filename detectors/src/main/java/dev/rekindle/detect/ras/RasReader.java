package dev.rekindle.detect.ras;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.rekindle.detect.ras.RasAnswer.Communicator;
import dev.rekindle.detect.ras.RasAnswer.Missing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads answers in JSON, which NCCL gives since 2.28.7 after {@code SET FORMAT json}, and as text,
 * which all versions give that have RAS.
 */
public final class RasReader {
  /** The largest answer that is read: some 400 bytes for each rank of each communicator. */
  public static final int MOST_BYTES = 64 << 20;

  private static final int MOST_RANKS = 1_000_000;

  private RasReader() {}

  /** Whether a file that begins so is an answer, as JSON or as text. */
  public static boolean isAnswer(String beginning) {
    return isText(beginning)
        || (behindOks(beginning).startsWith("{") && beginning.contains("\"communicators"));
  }

  private static boolean isText(String beginning) {
    var text = behindOks(beginning);
    return text.startsWith("NCCL version ") && text.contains("Job summary");
  }

  private static String behindOks(String text) {
    var rest = text.stripLeading();
    while (rest.startsWith("OK") || rest.startsWith("SERVER PROTOCOL")) {
      int end = rest.indexOf('\n');
      rest = end < 0 ? "" : rest.substring(end).stripLeading();
    }
    return rest;
  }

  /**
   * Reads an answer, with or without the lines before it.
   *
   * @throws RasException when it is no complete answer
   */
  public static RasAnswer read(byte[] bytes) throws RasException {
    if (bytes.length > MOST_BYTES) {
      throw new RasException("larger than " + MOST_BYTES + " bytes");
    }
    var beginning = new String(bytes, 0, Math.min(bytes.length, 4096), StandardCharsets.UTF_8);
    if (isText(beginning)) {
      return RasTextReader.read(behindOks(new String(bytes, StandardCharsets.UTF_8)));
    }
    int start = 0;
    while (start < bytes.length && bytes[start] != '{') {
      start++;
    }
    var before = new String(bytes, 0, Math.min(start, 4096), StandardCharsets.UTF_8);
    if (start == bytes.length || !behindOks(before).isEmpty()) {
      throw new RasException("no answer of RAS in JSON");
    }
    var json = Arrays.copyOfRange(bytes, start, bytes.length);
    try {
      return parse(json);
    } catch (IOException e) {
      try {
        return parse(CommaRepair.of(json));
      } catch (IOException again) {
        throw new RasException("not JSON, or cut off");
      }
    }
  }

  private static RasAnswer parse(byte[] json) throws IOException {
    try (var parser = RasValues.parser(json)) {
      parser.nextToken();
      var version = "";
      var time = "";
      List<Communicator> communicators = new ArrayList<>();
      for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        parser.nextToken();
        switch (name) {
          case "nccl_version" -> version = RasValues.text(parser);
          case "timestamp" -> time = RasValues.text(parser);
          case "communicators" ->
              RasValues.list(parser, () -> communicators.add(communicator(parser)));
          default -> parser.skipChildren();
        }
      }
      if (parser.currentToken() != JsonToken.END_OBJECT) {
        throw new IOException("cut off");
      }
      return new RasAnswer(version, time, communicators);
    }
  }

  private static Communicator communicator(JsonParser parser) throws IOException {
    var hash = "";
    long size = 0;
    Map<String, Map<Integer, Long>> counts = new HashMap<>();
    List<Missing> missing = new ArrayList<>();
    Set<Integer> failed = new HashSet<>();
    for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      switch (name) {
        case "hash", "secondary_hash" -> hash = hash + RasValues.text(parser);
        case "size" -> size = RasValues.number(parser);
        case "ranks" ->
            RasValues.list(
                parser,
                () -> {
                  var rank = RasRank.read(parser);
                  if (isRank(rank.rank())) {
                    int number = (int) rank.rank();
                    rank.counts()
                        .forEach(
                            (kind, count) ->
                                counts
                                    .computeIfAbsent(kind, _ -> new HashMap<>())
                                    .put(number, count));
                    if (rank.failed()) {
                      failed.add(number);
                    }
                  }
                });
        case "missing_ranks" ->
            RasValues.list(
                parser,
                () -> {
                  var rank = RasRank.read(parser);
                  if (isRank(rank.rank())) {
                    missing.add(
                        new Missing((int) rank.rank(), rank.host(), rank.process(), rank.dead()));
                  }
                });
        default -> parser.skipChildren();
      }
    }
    return new Communicator(hash, Math.clamp(size, 0, MOST_RANKS), counts, missing, failed);
  }

  private static boolean isRank(long rank) {
    return rank >= 0 && rank < MOST_RANKS;
  }
}
