/** What the chart's test finds of an installation, and what stands against removing it. */
@NullMarked
package dev.rekindle.controller.install;

import org.jspecify.annotations.NullMarked;
