/**
 * What a format of checkpoints is: how its generations are found and named, and how one is judged.
 */
@NullMarked
package dev.rekindle.detect.checkpoint.format;

import org.jspecify.annotations.NullMarked;
