/** The PyTorchJob: what opts it in, and how its templates are changed for a restart. */
@NullMarked
package dev.rekindle.controller.job;

import org.jspecify.annotations.NullMarked;
