/**
 * Whether the cluster in memory behaves as a real one: the same scenarios are played on both, and
 * what was seen is compared. What a real cluster did is also kept in {@code
 * src/test/resources/fidelity}, so that every build holds the model to it without a cluster.
 *
 * <p>Compared are the versions of objects that a watch delivers, in their order, the answers to
 * calls, and what happens between objects; times only as bounds, such as whether a pod was given
 * its grace period.
 */
@NullMarked
package dev.rekindle.testbed.fidelity;

import org.jspecify.annotations.NullMarked;
