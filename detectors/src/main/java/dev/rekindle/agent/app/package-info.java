/** The node agent: its loops and its start. */
@NullMarked
package dev.rekindle.agent.app;

import org.jspecify.annotations.NullMarked;
