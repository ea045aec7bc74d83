/** A proxy between our controllers and the API server that answers as a test orders. */
@NullMarked
package dev.rekindle.testbed.proxy;

import org.jspecify.annotations.NullMarked;
