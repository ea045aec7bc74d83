package dev.rekindle.detect.kmsg;

import java.util.Optional;

/**
 * One record of the kernel log.
 *
 * @param facility 0 for what the kernel and its drivers say; what a process writes into {@code
 *     /dev/kmsg} always has another one, as the kernel puts it there
 * @param level severity, 0 (emergency) to 7 (debug)
 * @param sequence number of the record within its boot; the kernel leaves none out
 * @param microsSinceBoot when it was logged, in microseconds of the kernel's monotonic clock
 * @param text the message with {@code \xNN} escapes undone; may hold line breaks
 */
public record KmsgRecord(int facility, int level, long sequence, long microsSinceBoot, String text)
    implements KmsgParsed {

  /** Whether the kernel or one of its drivers says it, and not a process. */
  public boolean isOfKernel() {
    return facility == 0;
  }

  /** The record in these bytes, framed as {@code /dev/kmsg} does; empty when they are none. */
  public static Optional<KmsgRecord> read(byte[] bytes) {
    return KmsgParser.parse(bytes, bytes.length) instanceof KmsgRecord kmsg
        ? Optional.of(kmsg)
        : Optional.empty();
  }
}
