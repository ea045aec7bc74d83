/** From facts to a verdict on a job: pure functions over a snapshot and a clock value. */
@NullMarked
package dev.rekindle.controller.diagnosis;

import org.jspecify.annotations.NullMarked;
