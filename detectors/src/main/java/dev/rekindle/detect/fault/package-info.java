/** What a detector says: a fault was seen, or is gone. */
@NullMarked
package dev.rekindle.detect.fault;

import org.jspecify.annotations.NullMarked;
