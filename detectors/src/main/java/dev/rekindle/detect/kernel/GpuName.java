package dev.rekindle.detect.kernel;

/**
 * What the driver says once per boot of a GPU, before its first XID.
 *
 * @param uuid {@code GPU-} and a UUID
 * @param serial serial number of its board; empty where the driver says none
 */
public record GpuName(String uuid, String serial) {}
