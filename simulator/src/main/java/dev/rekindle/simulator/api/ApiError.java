package dev.rekindle.simulator.api;

/** An answer of the API server that is not a success. */
public final class ApiError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** No object of that name. */
  public static final int NOT_FOUND = 404;

  /** The object has changed, exists already, or is another one of the name. */
  public static final int CONFLICT = 409;

  /** The request cannot be answered: a selector on a field that has no index, say. */
  public static final int BAD_REQUEST = 400;

  /** No answer came. */
  public static final int UNANSWERED = 0;

  private final int code;

  /**
   * @param code HTTP status, {@link #UNANSWERED} for none
   */
  public ApiError(int code, String message) {
    super(message, null, false, false);
    this.code = code;
  }

  /** HTTP status, {@link #UNANSWERED} for none. */
  public int code() {
    return code;
  }
}
