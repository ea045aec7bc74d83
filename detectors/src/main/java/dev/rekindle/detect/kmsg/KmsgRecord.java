package dev.rekindle.detect.kmsg;

import java.util.Optional;

/**
 * One record of the kernel log.
 *
 * @param level severity, 0 (emergency) to 7 (debug)
 * @param sequence number of the record within its boot; the kernel leaves none out
 * @param microsSinceBoot when it was logged, in microseconds of the kernel's monotonic clock
 * @param text the message with {@code \xNN} escapes undone; may hold line breaks
 */
public record KmsgRecord(int level, long sequence, long microsSinceBoot, String text)
    implements KmsgParsed {

  /** The record in these bytes, framed as {@code /dev/kmsg} does; empty when they are none. */
  public static Optional<KmsgRecord> read(byte[] bytes) {
    return KmsgParser.parse(bytes, bytes.length) instanceof KmsgRecord kmsg
        ? Optional.of(kmsg)
        : Optional.empty();
  }
}
