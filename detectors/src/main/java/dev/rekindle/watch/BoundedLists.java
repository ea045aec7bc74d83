package dev.rekindle.watch;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Ends the answer to a list that is larger than {@link #MOST}. A page is in memory as a whole, and
 * read it takes many times its size: five hundred objects of a megabyte, which one tenant may
 * store, are more than all memory of a controller. Who asked then asks for fewer at a time ({@link
 * PageSize}). A list of one object at a time is never ended: nothing that is stored is refused.
 */
public final class BoundedLists implements Interceptor {
  /** Its name for the builder of an HTTP client. */
  public static final String NAME = "rekindle-bounded-lists";

  /** Bytes of an answer. */
  public static final long MOST = 4L << 20;

  /** Depth to which causes of an exception are searched. */
  private static final int DEPTH = 16;

  /** An answer was larger. */
  private static final class TooLargeException extends Exception {
    private static final long serialVersionUID = 1L;

    TooLargeException() {
      super("a page of a list has more than " + MOST + " bytes");
    }
  }

  /** Whether a list has failed as its answer was too large. */
  public static boolean hasEnded(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < DEPTH && cause != null; i++) {
      if (cause instanceof TooLargeException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  @Override
  public AsyncBody.Consumer<List<ByteBuffer>> consumer(
      AsyncBody.Consumer<List<ByteBuffer>> consumer, HttpRequest request) {
    String query = request.uri().getQuery();
    return query != null && isOfMany(query) ? new Counting(consumer) : consumer;
  }

  /** Whether it is a list of an unknown number of objects. Watches are none: they have no end. */
  private static boolean isOfMany(String query) {
    List<String> options = Arrays.asList(query.split("&"));
    return options.stream().anyMatch(o -> o.startsWith("limit=") || o.equals("resourceVersion=0"))
        && !options.contains("limit=1")
        && !options.contains("watch=true");
  }

  /** Of one answer. */
  private static final class Counting implements AsyncBody.Consumer<List<ByteBuffer>> {
    private final AsyncBody.Consumer<List<ByteBuffer>> next;
    private long bytes;

    Counting(AsyncBody.Consumer<List<ByteBuffer>> next) {
      this.next = next;
    }

    @Override
    public void consume(List<ByteBuffer> buffers, AsyncBody body) throws Exception {
      for (ByteBuffer buffer : buffers) {
        bytes += buffer.remaining();
      }
      if (bytes > MOST) {
        throw new TooLargeException();
      }
      next.consume(buffers, body);
    }
  }
}
