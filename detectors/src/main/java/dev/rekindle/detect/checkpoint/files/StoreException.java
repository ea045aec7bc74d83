package dev.rekindle.detect.checkpoint.files;

import java.io.Serial;
import java.nio.file.FileSystemException;

/**
 * A store did not answer, or refused: nothing is known of what it holds. Another scan may know
 * more, so no verdict is kept that comes of it.
 */
public final class StoreException extends FileSystemException {
  @Serial private static final long serialVersionUID = 1L;

  /**
   * A failure of a store.
   *
   * @param path what was requested
   * @param reason one clause
   */
  public StoreException(String path, String reason) {
    super(path, null, reason);
  }
}
