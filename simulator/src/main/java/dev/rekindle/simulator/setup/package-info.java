/** What a simulated cluster is made of, and its times. */
@NullMarked
package dev.rekindle.simulator.setup;

import org.jspecify.annotations.NullMarked;
