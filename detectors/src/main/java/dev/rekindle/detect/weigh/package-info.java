/** Program or hardware: what a fault that comes again says of the node. */
@NullMarked
package dev.rekindle.detect.weigh;

import org.jspecify.annotations.NullMarked;
