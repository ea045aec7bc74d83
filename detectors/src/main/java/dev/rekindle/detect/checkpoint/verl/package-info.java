/** Folders of verl. */
@NullMarked
package dev.rekindle.detect.checkpoint.verl;

import org.jspecify.annotations.NullMarked;
