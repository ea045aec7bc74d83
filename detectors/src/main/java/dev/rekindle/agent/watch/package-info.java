/** Watches in the namespaces that are looked after. */
@NullMarked
package dev.rekindle.agent.watch;

import org.jspecify.annotations.NullMarked;
