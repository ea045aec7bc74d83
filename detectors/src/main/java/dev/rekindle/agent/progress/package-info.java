/** Follows the training logs of the pods on the node, and reports their progress. */
@NullMarked
package dev.rekindle.agent.progress;

import org.jspecify.annotations.NullMarked;
