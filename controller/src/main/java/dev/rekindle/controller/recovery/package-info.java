/** The state machine of one recovery and the reconciler that carries its decisions out. */
@NullMarked
package dev.rekindle.controller.recovery;

import org.jspecify.annotations.NullMarked;
