/**
 * Faults from a seed, the invariants that must hold in spite of them, and the runs of many seeds.
 */
@NullMarked
package dev.rekindle.simulator.chaos;

import org.jspecify.annotations.NullMarked;
