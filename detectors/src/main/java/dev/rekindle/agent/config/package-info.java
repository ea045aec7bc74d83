/** The settings of the agent, from its environment. */
@NullMarked
package dev.rekindle.agent.config;

import org.jspecify.annotations.NullMarked;
