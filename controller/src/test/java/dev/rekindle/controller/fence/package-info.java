@NullMarked
package dev.rekindle.controller.fence;

import org.jspecify.annotations.NullMarked;
