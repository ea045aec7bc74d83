package dev.rekindle.detect.progress;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/**
 * One line of a container log as the runtime writes it: {@code <time> stdout|stderr <tags> <text>},
 * where the first tag is {@code F} for a full line and {@code P} for a piece of one (Kubernetes CRI
 * logging design).
 *
 * @param time the runtime's stamp
 * @param stderr whether it came from standard error
 * @param partial whether the line goes on in the next piece of the same stream
 * @param text the text, without its line break
 */
record CriLine(Instant time, boolean stderr, boolean partial, String text) {
  /** The parts of a line; empty when it is not one. */
  static Optional<CriLine> parse(String line) {
    var timeEnd = line.indexOf(' ');
    var streamEnd = timeEnd < 0 ? -1 : line.indexOf(' ', timeEnd + 1);
    if (streamEnd < 0) {
      return Optional.empty();
    }
    var tagsEnd = line.indexOf(' ', streamEnd + 1);
    var tags = line.substring(streamEnd + 1, tagsEnd < 0 ? line.length() : tagsEnd);
    var colon = tags.indexOf(':');
    var first = colon < 0 ? tags : tags.substring(0, colon);
    var stream = line.substring(timeEnd + 1, streamEnd);
    if (!(stream.equals("stdout") || stream.equals("stderr"))
        || !(first.equals("F") || first.equals("P"))) {
      return Optional.empty();
    }
    try {
      var time = OffsetDateTime.parse(line.substring(0, timeEnd)).toInstant();
      var text = tagsEnd < 0 ? "" : line.substring(tagsEnd + 1);
      return Optional.of(new CriLine(time, stream.equals("stderr"), first.equals("P"), text));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
