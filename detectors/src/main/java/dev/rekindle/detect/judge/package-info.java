/**
 * {@code rekindle judge} and {@code rekindle explain}: the judge on recorded logs, and in words.
 */
@NullMarked
package dev.rekindle.detect.judge;

import org.jspecify.annotations.NullMarked;
