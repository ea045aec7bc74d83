/** Folders of NeMo 2. */
@NullMarked
package dev.rekindle.detect.checkpoint.nemo;

import org.jspecify.annotations.NullMarked;
