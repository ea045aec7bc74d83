/**
 * The controller's processes: the real reconcilers over a gateway that can fail, and their deaths.
 */
@NullMarked
package dev.rekindle.simulator.process;

import org.jspecify.annotations.NullMarked;
