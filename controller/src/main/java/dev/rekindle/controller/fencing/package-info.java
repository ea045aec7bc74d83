/** Cordons: who placed them, why, and when they are lifted. */
@NullMarked
package dev.rekindle.controller.fencing;

import org.jspecify.annotations.NullMarked;
