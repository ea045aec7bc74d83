/** Folders of DeepSpeed. */
@NullMarked
package dev.rekindle.detect.checkpoint.deepspeed;

import org.jspecify.annotations.NullMarked;
