/** Metrics of the agent. */
@NullMarked
package dev.rekindle.agent.telemetry;

import org.jspecify.annotations.NullMarked;
