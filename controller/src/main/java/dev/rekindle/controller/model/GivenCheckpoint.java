package dev.rekindle.controller.model;

import org.jspecify.annotations.Nullable;

/**
 * What the next container of a pod is given to resume from, by annotations of its pod.
 *
 * @param attempt id of the attempt
 * @param path of the checkpoint; empty where none is given
 * @param step its step; absent where none is given or known
 * @param format name of its format; empty where none is given or known
 */
public record GivenCheckpoint(String attempt, String path, @Nullable Long step, String format) {}
