/** What the agent makes of devices and kernel log: whom a fault hit, and its NodeFault. */
@NullMarked
package dev.rekindle.agent.faults;

import org.jspecify.annotations.NullMarked;
