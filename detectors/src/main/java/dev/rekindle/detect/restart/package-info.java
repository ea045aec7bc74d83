/**
 * Carries out RestartOrders on one node: what is to be done with each container, what is noted of
 * it, and what is reported. The API server, the node and its disk are behind interfaces.
 */
@NullMarked
package dev.rekindle.detect.restart;

import org.jspecify.annotations.NullMarked;
