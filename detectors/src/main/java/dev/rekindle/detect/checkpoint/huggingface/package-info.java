/** Folders of Hugging Face's Trainer. */
@NullMarked
package dev.rekindle.detect.checkpoint.huggingface;

import org.jspecify.annotations.NullMarked;
