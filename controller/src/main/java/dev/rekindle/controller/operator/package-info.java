/** The process: wiring, configuration, health and metrics endpoints. */
@NullMarked
package dev.rekindle.controller.operator;

import org.jspecify.annotations.NullMarked;
