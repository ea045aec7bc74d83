package dev.rekindle.detect.flightrecorder;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;

/** Dumps that were compressed to copy them. */
final class Gzip {
  private Gzip() {}

  static boolean isOne(byte[] bytes) {
    return bytes.length > 2 && bytes[0] == 0x1f && bytes[1] == (byte) 0x8b;
  }

  /**
   * What is in it.
   *
   * @param most bytes of it, uncompressed
   */
  static byte[] read(byte[] bytes, int most) throws DumpException {
    try (var in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      var whole = in.readNBytes(most + 1);
      if (whole.length > most) {
        throw new DumpException("larger than " + most + " bytes, uncompressed");
      }
      return whole;
    } catch (IOException e) {
      throw new DumpException("not gzip, or cut off");
    }
  }
}
