/** The files of a checkpoint that is a folder, each judged by what it is. */
@NullMarked
package dev.rekindle.detect.checkpoint.parts;

import org.jspecify.annotations.NullMarked;
