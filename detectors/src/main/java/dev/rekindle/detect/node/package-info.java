/** What a Node object says about its health. */
@NullMarked
package dev.rekindle.detect.node;

import org.jspecify.annotations.NullMarked;
