/** The command line of the simulator. */
@NullMarked
package dev.rekindle.simulator.app;

import org.jspecify.annotations.NullMarked;
