/**
 * RDMA ports as the kernel shows them in {@code /sys/class/infiniband}: their state, their
 * counters, and the rail that each belongs to.
 */
@NullMarked
package dev.rekindle.detect.rdma;

import org.jspecify.annotations.NullMarked;
