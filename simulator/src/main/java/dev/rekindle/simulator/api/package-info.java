/** The API server: objects, resource versions, watches. */
@NullMarked
package dev.rekindle.simulator.api;

import org.jspecify.annotations.NullMarked;
