/** Which nodes the new gang may not use, and which it should be near. */
@NullMarked
package dev.rekindle.controller.placement;

import org.jspecify.annotations.NullMarked;
