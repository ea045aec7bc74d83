/** What the kubelet and Prometheus ask a process of ours: the same for agent and controller. */
@NullMarked
package dev.rekindle.detect.probes;

import org.jspecify.annotations.NullMarked;
