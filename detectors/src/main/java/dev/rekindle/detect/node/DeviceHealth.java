package dev.rekindle.detect.node;

/**
 * What a kubelet says about a device that it gave a container, from its device plugin or driver.
 *
 * @param resource {@code nvidia.com/gpu}, or {@code claim:NAME/REQUEST} of a resource claim
 * @param id the device as its plugin names it, without the number of a time slice
 * @param message the plugin's words, may be empty
 */
public record DeviceHealth(String resource, String id, String message) {}
