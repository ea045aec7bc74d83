/** The endpoints for the kubelet and Prometheus: the same for agent and controller. */
@NullMarked
package dev.rekindle.detect.probes;

import org.jspecify.annotations.NullMarked;
