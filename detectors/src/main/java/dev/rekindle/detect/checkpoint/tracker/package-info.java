/** Rewriting the file by which a framework finds its newest checkpoint. */
@NullMarked
package dev.rekindle.detect.checkpoint.tracker;

import org.jspecify.annotations.NullMarked;
