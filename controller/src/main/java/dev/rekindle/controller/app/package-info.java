/** The process: wiring, configuration, health and metrics endpoints. */
@NullMarked
package dev.rekindle.controller.app;

import org.jspecify.annotations.NullMarked;
