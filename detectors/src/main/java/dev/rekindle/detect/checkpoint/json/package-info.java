/**
 * A small reader of JSON, bounded and without a library: the inspector's start is part of every
 * recovery.
 */
@NullMarked
package dev.rekindle.detect.checkpoint.json;

import org.jspecify.annotations.NullMarked;
