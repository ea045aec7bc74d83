/** What checkpoints cost a job and what failures do, in numbers. Pure functions. */
@NullMarked
package dev.rekindle.controller.economics;

import org.jspecify.annotations.NullMarked;
