@NullMarked
package dev.rekindle.controller.placement.plan;

import org.jspecify.annotations.NullMarked;
