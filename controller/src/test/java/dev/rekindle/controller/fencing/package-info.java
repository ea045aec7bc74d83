@NullMarked
package dev.rekindle.controller.fencing;

import org.jspecify.annotations.NullMarked;
