/**
 * The gateway: what the controller may read and do. Flat views in, idempotent effects out; one
 * implementation over fabric8.
 */
@NullMarked
package dev.rekindle.controller.cluster;

import org.jspecify.annotations.NullMarked;
