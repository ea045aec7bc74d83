/**
 * What pods ask of networks and what Spiderpool offers: views of its objects, and the pure function
 * from annotations to the NICs that a pod gets, each with its pools and its RDMA resource.
 */
@NullMarked
package dev.rekindle.controller.network;

import org.jspecify.annotations.NullMarked;
