/** Watches in the namespaces that are watched. */
@NullMarked
package dev.rekindle.agent.watch;

import org.jspecify.annotations.NullMarked;
