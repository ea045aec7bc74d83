/**
 * What Kubernetes itself shows of a node's health, as NodeFaults: conditions that others keep,
 * device plugins, resource slices, Ascend's and HAMi's notes. Decided by pure functions, written by
 * the leader.
 */
@NullMarked
package dev.rekindle.controller.nodehealth;

import org.jspecify.annotations.NullMarked;
