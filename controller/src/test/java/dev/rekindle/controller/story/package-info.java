/** Whole recoveries against a cluster in memory, with crashes at every call. */
@NullMarked
package dev.rekindle.controller.story;

import org.jspecify.annotations.NullMarked;
