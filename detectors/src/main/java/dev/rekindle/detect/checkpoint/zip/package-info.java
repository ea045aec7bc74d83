/** The structure of zip archives, without reading what they hold. */
@NullMarked
package dev.rekindle.detect.checkpoint.zip;

import org.jspecify.annotations.NullMarked;
