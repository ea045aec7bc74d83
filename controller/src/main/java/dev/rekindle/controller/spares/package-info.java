/** Warm spares: pods that hold the room of a worker until the gang needs it. */
@NullMarked
package dev.rekindle.controller.spares;

import org.jspecify.annotations.NullMarked;
