/** Orders to restart in place, and the reports that answer them. */
@NullMarked
package dev.rekindle.agent.restart;

import org.jspecify.annotations.NullMarked;
