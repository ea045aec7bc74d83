package dev.rekindle.console;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Compresses texts that are much alike: each as what it does not share with one of them, the model.
 * A compressor holds a quarter of a MiB outside of the heap, so there is one for all.
 */
final class Packer {
  /** No text refers to more that came before it. */
  private static final int WINDOW = 32_768;

  private static final int BUFFER = 4_096;

  /**
   * A text, compressed.
   *
   * @param bytes what it does not share with the model
   * @param model the one that there was when it was compressed
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Packed(byte[] bytes, byte[] model) {
    /** The text. */
    byte[] unpack() {
      Inflater inflater = new Inflater(true);
      try {
        inflater.setDictionary(model);
        inflater.setInput(bytes);
        ByteArrayOutputStream text = new ByteArrayOutputStream(BUFFER);
        byte[] part = new byte[BUFFER];
        while (!inflater.finished()) {
          text.write(part, 0, inflater.inflate(part));
        }
        return text.toByteArray();
      } catch (DataFormatException e) {
        throw new IllegalStateException("it was compressed by this process", e);
      } finally {
        inflater.end();
      }
    }
  }

  private final Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
  private byte[] model = new byte[0];

  /**
   * Compresses a text.
   *
   * @param typical whether the ones to come will resemble it; the first of those becomes the model
   */
  synchronized Packed pack(byte[] text, boolean typical) {
    if (typical && model.length == 0) {
      model = Arrays.copyOf(text, Math.min(text.length, WINDOW));
    }
    deflater.reset();
    deflater.setDictionary(model);
    deflater.setInput(text);
    deflater.finish();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] part = new byte[BUFFER];
    while (!deflater.finished()) {
      bytes.write(part, 0, deflater.deflate(part));
    }
    return new Packed(bytes.toByteArray(), model);
  }
}
