/** Folders of Orbax. */
@NullMarked
package dev.rekindle.detect.checkpoint.orbax;

import org.jspecify.annotations.NullMarked;
