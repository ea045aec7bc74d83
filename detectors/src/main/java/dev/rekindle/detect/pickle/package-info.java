/** A reader of pickles that executes nothing: no class is resolved, nothing is called. */
@NullMarked
package dev.rekindle.detect.pickle;

import org.jspecify.annotations.NullMarked;
