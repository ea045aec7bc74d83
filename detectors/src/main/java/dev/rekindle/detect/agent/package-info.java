/** The node agent: follows kernel log and pod logs of its node and writes what they say. */
@NullMarked
package dev.rekindle.detect.agent;

import org.jspecify.annotations.NullMarked;
