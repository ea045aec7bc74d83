/** What a Pod object tells about its failure. */
@NullMarked
package dev.rekindle.detect.pod;

import org.jspecify.annotations.NullMarked;
