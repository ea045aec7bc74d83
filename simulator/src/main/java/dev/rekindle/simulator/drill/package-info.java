/**
 * The drill: one training job in a cluster in memory, one fault, and what comes of it, told as it
 * happens. Everything told is read off the cluster; nothing about the outcome is written down here.
 */
@NullMarked
package dev.rekindle.simulator.drill;

import org.jspecify.annotations.NullMarked;
