package dev.rekindle.detect.nvml;

import java.time.Duration;

/**
 * What was met since the start.
 *
 * @param state how it stands
 * @param gpus GPUs that answered the newest poll
 * @param polls polls that were answered
 * @param failures times that NVML could not be used, or no more
 * @param events events received
 * @param poll how long the newest poll took
 */
public record NvmlStatistics(
    NvmlState state, int gpus, long polls, long failures, long events, Duration poll) {}
