package dev.rekindle.detect.rdma;

import java.time.Duration;

/**
 * What was met since the start.
 *
 * @param ports ports at the newest poll
 * @param down those of them that are down
 * @param polls polls so far
 * @param poll how long the newest poll took
 * @param stuck for how long a poll has not come back; zero when none is late
 */
public record NicStatistics(int ports, int down, long polls, Duration poll, Duration stuck) {}
