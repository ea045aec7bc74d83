/**
 * The scale benchmark, {@code ./rekindle testbed scale}: thousands of kwok nodes on a real control
 * plane, and one process that plays their agents and, where a container is restarted in place,
 * their kubelets. Controller, scheduler and training operator are the real ones.
 */
@NullMarked
package dev.rekindle.testbed.scale;

import org.jspecify.annotations.NullMarked;
