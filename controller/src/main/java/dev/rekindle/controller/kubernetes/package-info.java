/** All that speaks to the API server: watches, calls, events, the lease. */
@NullMarked
package dev.rekindle.controller.kubernetes;

import org.jspecify.annotations.NullMarked;
