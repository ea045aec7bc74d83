/** What watches of the API server need beside the client library. */
@NullMarked
package dev.rekindle.watch;

import org.jspecify.annotations.NullMarked;
