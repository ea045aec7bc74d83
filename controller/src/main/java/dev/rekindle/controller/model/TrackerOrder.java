package dev.rekindle.controller.model;

import java.time.Instant;

/**
 * The tracker of a framework is to name a checkpoint.
 *
 * @param recovery for which recovery
 * @param attempt id of the attempt
 * @param path of the checkpoint, as the job's containers see it
 * @param format name of its format
 * @param until when it is too late: the job may train again
 */
public record TrackerOrder(
    String recovery, String attempt, String path, String format, Instant until) {}
