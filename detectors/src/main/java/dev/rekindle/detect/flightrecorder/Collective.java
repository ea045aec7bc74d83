package dev.rekindle.detect.flightrecorder;

/**
 * One operation of a rank, as its flight recorder kept it.
 *
 * @param sequence number inside the group: of collectives, or of point-to-point operations
 * @param operation without the library: {@code all_reduce}, {@code recv 0<-3}
 * @param shape sizes and types of the inputs, as text to compare
 * @param pointToPoint a send or a receive
 * @param pending enqueued and not known to be over
 * @param created when it was enqueued, in nanoseconds since the epoch by the clock of its node; 0
 *     when it is not in the dump
 */
public record Collective(
    long sequence,
    String operation,
    String shape,
    boolean pointToPoint,
    boolean pending,
    long created) {}
