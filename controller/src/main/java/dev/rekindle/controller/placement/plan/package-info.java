/** Which nodes the pods of a gang that lose their node should go to: pure search on a fabric. */
@NullMarked
package dev.rekindle.controller.placement.plan;

import org.jspecify.annotations.NullMarked;
