@NullMarked
package dev.rekindle.controller.recovery;

import org.jspecify.annotations.NullMarked;
