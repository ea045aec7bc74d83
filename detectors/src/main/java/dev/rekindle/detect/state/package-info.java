/** Files in which detectors and the agent keep what must outlive their process. */
@NullMarked
package dev.rekindle.detect.state;

import org.jspecify.annotations.NullMarked;
