/**
 * The drill: one training job in a cluster in memory, one fault and its outcome, printed as it
 * happens. All of it is read off the cluster; nothing about the outcome is written down here.
 */
@NullMarked
package dev.rekindle.simulator.drill;

import org.jspecify.annotations.NullMarked;
