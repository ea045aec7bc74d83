/** Reads Zstandard (RFC 8878), which the JDK does not: for indexes of checkpoints. */
@NullMarked
package dev.rekindle.detect.zstd;

import org.jspecify.annotations.NullMarked;
