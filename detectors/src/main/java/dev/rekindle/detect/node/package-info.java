/** What a Node object tells about its health. */
@NullMarked
package dev.rekindle.detect.node;

import org.jspecify.annotations.NullMarked;
