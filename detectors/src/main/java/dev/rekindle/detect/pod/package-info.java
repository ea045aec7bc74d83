/** What a Pod object says about its failure, and about its training. */
@NullMarked
package dev.rekindle.detect.pod;

import org.jspecify.annotations.NullMarked;
