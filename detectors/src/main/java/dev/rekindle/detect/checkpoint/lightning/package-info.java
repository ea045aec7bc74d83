/** Files and folders of Lightning. */
@NullMarked
package dev.rekindle.detect.checkpoint.lightning;

import org.jspecify.annotations.NullMarked;
