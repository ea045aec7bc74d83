/** Where nodes stand in the network, as their labels have it. */
@NullMarked
package dev.rekindle.controller.placement.topology;

import org.jspecify.annotations.NullMarked;
