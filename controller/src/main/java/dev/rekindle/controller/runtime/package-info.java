/**
 * The keyed work queue, its timers and the leader's lease: when something is reconciled, never what
 * is decided.
 */
@NullMarked
package dev.rekindle.controller.runtime;

import org.jspecify.annotations.NullMarked;
