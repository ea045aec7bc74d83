package dev.rekindle.detect.checkpoint.json;

import java.io.IOException;
import java.io.Serial;

/** A text is not JSON, is cut off, or is more than it may be; the message says which. */
public final class JsonException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  /** One clause. */
  public JsonException(String message) {
    super(message);
  }

  /** A text is JSON, but not what it should be. */
  public static JsonException of(String message) {
    return new JsonException(message);
  }
}
