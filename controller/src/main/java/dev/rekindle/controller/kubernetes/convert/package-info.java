/** API objects read into views, and the objects and patches that are written. No calls. */
@NullMarked
package dev.rekindle.controller.kubernetes.convert;

import org.jspecify.annotations.NullMarked;
