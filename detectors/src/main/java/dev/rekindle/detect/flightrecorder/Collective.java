package dev.rekindle.detect.flightrecorder;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a rank, as its flight recorder kept it.
 *
 * @param sequence number inside the group: of collectives, which is the same for all ranks, or of
 *     point-to-point operations of this rank, those of one batch alike
 * @param operation without the library: {@code all_reduce}, {@code recv 0<-3}
 * @param shape sizes and types of the inputs, as text to compare
 * @param pointToPoint a send or a receive
 * @param pending enqueued and not known to be over
 * @param created when it was enqueued, in nanoseconds since the epoch by the clock of its node; 0
 *     when it is not in the dump
 * @param begun whether the device has come to it, where it is pending and the recorder times it;
 *     null where that is not known
 * @param ended when PyTorch's watchdog found it completed, by the same clock; 0 when it is not in
 *     the dump
 */
public record Collective(
    long sequence,
    String operation,
    String shape,
    boolean pointToPoint,
    boolean pending,
    long created,
    @Nullable Boolean begun,
    long ended) {
  /** Every rank passes inputs of one size; those of the others may differ by rank. */
  private static final List<String> SAME_SIZES =
      List.of("all_reduce", "allreduce", "all_gather", "allgather", "broadcast", "barrier");

  private static final List<String> UNEVEN = List.of("uneven", "coalesced", "v_", "allgatherv");

  /** An operation of which is not known when it was over. */
  public Collective(
      long sequence,
      String operation,
      String shape,
      boolean pointToPoint,
      boolean pending,
      long created,
      @Nullable Boolean begun) {
    this(sequence, operation, shape, pointToPoint, pending, created, begun, 0);
  }

  /** An operation of which is not known whether the device has come to it. */
  public Collective(
      long sequence,
      String operation,
      String shape,
      boolean pointToPoint,
      boolean pending,
      long created) {
    this(sequence, operation, shape, pointToPoint, pending, created, null);
  }

  /** When its rank last did anything for it, in nanoseconds since the epoch; 0 when not known. */
  public long moved() {
    return Math.max(created, ended);
  }

  /** The same, with the state of another one. */
  Collective like(Collective other) {
    return new Collective(
        sequence, operation, shape, pointToPoint, other.pending, created, other.begun, other.ended);
  }

  /** The same; whether the device has come to it is not known. */
  Collective withoutTiming() {
    return begun == null
        ? this
        : new Collective(sequence, operation, shape, pointToPoint, pending, created, null, ended);
  }

  /** The same, not pending. */
  Collective over() {
    return new Collective(sequence, operation, shape, pointToPoint, false, created, null);
  }

  /** The same, pending; whether the device has come to it is not known. */
  Collective pendingAgain() {
    return new Collective(sequence, operation, shape, pointToPoint, true, created, null);
  }

  /** What was called: with sizes where those are the same for all ranks. */
  public String call() {
    var name = operation.toLowerCase(Locale.ROOT);
    boolean sized =
        SAME_SIZES.stream().anyMatch(name::contains) && UNEVEN.stream().noneMatch(name::contains);
    return sized && !shape.isEmpty() ? operation + " of " + shape : operation;
  }
}
