/** Finds out, on one node, what the ranks of a gang that stands are doing. */
@NullMarked
package dev.rekindle.detect.evidence;

import org.jspecify.annotations.NullMarked;
