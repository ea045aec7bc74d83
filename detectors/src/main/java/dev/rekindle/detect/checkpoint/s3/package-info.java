/** Checkpoints in an S3-compatible object store, with nothing but the JDK. */
@NullMarked
package dev.rekindle.detect.checkpoint.s3;

import org.jspecify.annotations.NullMarked;
