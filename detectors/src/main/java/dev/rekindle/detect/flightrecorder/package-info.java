/**
 * Dumps of PyTorch's flight recorder: what each rank of a job enqueued and completed in each of its
 * process groups. Read from files that a tenant writes, so nothing in them is executed.
 */
@NullMarked
package dev.rekindle.detect.flightrecorder;

import org.jspecify.annotations.NullMarked;
