package dev.rekindle.detect.checkpoint.format;

/**
 * A file beside checkpoints that names the one which a framework loads.
 *
 * @param name its name
 * @param text what it says where it names the checkpoint
 */
public record TrackerFile(String name, String text) {}
