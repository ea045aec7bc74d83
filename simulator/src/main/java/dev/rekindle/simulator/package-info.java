/**
 * A cluster in memory on virtual time, with a running controller: what the drill, the trace replay
 * and the randomized tests run in.
 */
@NullMarked
package dev.rekindle.simulator;

import org.jspecify.annotations.NullMarked;
