/**
 * Failure traces against the same controller code on virtual time: what it is worth to a job, in
 * GPU-hours, beside a person who does the same by hand.
 */
@NullMarked
package dev.rekindle.simulator.replay;

import org.jspecify.annotations.NullMarked;
