/** Freezing, killing and thawing the processes of one container of this node. */
@NullMarked
package dev.rekindle.detect.freeze;

import org.jspecify.annotations.NullMarked;
