package dev.rekindle.detect.kmsg;

/**
 * What the reader met since it was made.
 *
 * @param records records delivered to the sink
 * @param replayed records skipped because an earlier run had delivered them
 * @param lost records that the sequence numbers show to exist, never read
 * @param malformed pieces that were no record
 * @param refused times that the sink threw
 * @param foreign records that a process wrote into the kernel log; none is delivered
 * @param sequence newest sequence number delivered, -1 before the first
 * @param open whether the kernel log could be opened
 */
public record KmsgStatistics(
    long records,
    long replayed,
    long lost,
    long malformed,
    long refused,
    long foreign,
    long sequence,
    boolean open) {}
