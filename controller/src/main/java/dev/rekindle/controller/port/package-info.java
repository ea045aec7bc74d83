/** What the controller may read and do: views in, idempotent effects out. */
@NullMarked
package dev.rekindle.controller.port;

import org.jspecify.annotations.NullMarked;
