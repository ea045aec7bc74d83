package dev.rekindle.watch;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Writes characters beyond ASCII as escapes of JSON in what a watch over HTTP receives.
 *
 * <p>The client library (WatchHTTPManager of kubernetes-client 7.8.0) decodes each buffer by itself
 * and reads the whole array behind the decoded characters. A character of several bytes leaves NULs
 * at the end of that array, or is cut in two, and the watch ends with an exception. One annotation
 * of any pod would end a watch of pods with each event of that pod. A watch is lines of JSON, in
 * which such characters stand in strings alone, so that an escape means the same.
 */
public final class AsciiWatch implements Interceptor {
  /** Its name for the builder of an HTTP client. */
  public static final String NAME = "rekindle-ascii-watch";

  @Override
  public AsyncBody.Consumer<List<ByteBuffer>> consumer(
      AsyncBody.Consumer<List<ByteBuffer>> consumer, HttpRequest request) {
    String query = request.uri().getQuery();
    return query != null && query.contains("watch=true") ? new Escaping(consumer) : consumer;
  }

  /** Of one response: bytes of a character may come in two buffers. */
  private static final class Escaping implements AsyncBody.Consumer<List<ByteBuffer>> {
    private static final int LONGEST = 4;

    private final AsyncBody.Consumer<List<ByteBuffer>> next;
    private final CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private ByteBuffer begun = ByteBuffer.allocate(0);

    Escaping(AsyncBody.Consumer<List<ByteBuffer>> next) {
      this.next = next;
    }

    @Override
    public void consume(List<ByteBuffer> buffers, AsyncBody body) throws Exception {
      List<ByteBuffer> ascii = new ArrayList<>(buffers.size());
      for (ByteBuffer buffer : buffers) {
        ascii.add(begun.hasRemaining() || !isAscii(buffer) ? escaped(buffer) : buffer);
      }
      next.consume(ascii, body);
    }

    private static boolean isAscii(ByteBuffer buffer) {
      for (int i = buffer.position(); i < buffer.limit(); i++) {
        if (buffer.get(i) < 0) {
          return false;
        }
      }
      return true;
    }

    private ByteBuffer escaped(ByteBuffer buffer) {
      ByteBuffer all = ByteBuffer.allocate(begun.remaining() + buffer.remaining());
      all.put(begun).put(buffer.duplicate()).flip();
      CharBuffer decoded = CharBuffer.allocate(all.remaining());
      var _ = decoder.decode(all, decoded, false);
      begun = ByteBuffer.allocate(LONGEST).put(all).flip();
      decoded.flip();
      StringBuilder text = new StringBuilder(decoded.remaining() + 64);
      while (decoded.hasRemaining()) {
        char c = decoded.get();
        if (c < 0x80) {
          text.append(c);
        } else {
          text.append("\\u").append(HexFormat.of().toHexDigits(c));
        }
      }
      return ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.US_ASCII));
    }
  }
}
