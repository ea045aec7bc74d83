/**
 * What a cluster is made of, beside the API server: nodes with their kubelets, scheduler, node
 * lifecycle, training operator, node agents, and the training itself.
 */
@NullMarked
package dev.rekindle.simulator.world;

import org.jspecify.annotations.NullMarked;
