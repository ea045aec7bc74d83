/** Virtual time, and threads of control that wait on it. */
@NullMarked
package dev.rekindle.simulator.engine;

import org.jspecify.annotations.NullMarked;
