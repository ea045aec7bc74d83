/** The kernel log: framing of its records, and a reader that loses none it could have read. */
@NullMarked
package dev.rekindle.detect.kmsg;

import org.jspecify.annotations.NullMarked;
