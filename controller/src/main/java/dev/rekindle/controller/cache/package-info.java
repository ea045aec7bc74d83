/** The newest views of all that is watched, kept in memory. Knows no client. */
@NullMarked
package dev.rekindle.controller.cache;

import org.jspecify.annotations.NullMarked;
