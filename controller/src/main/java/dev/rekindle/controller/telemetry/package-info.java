/** What people see: events with a closed vocabulary of reasons, and metrics. */
@NullMarked
package dev.rekindle.controller.telemetry;

import org.jspecify.annotations.NullMarked;
