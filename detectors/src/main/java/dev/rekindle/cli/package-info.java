/** The grammar of the command line: what every command of {@code rekindle} has in common. */
@NullMarked
package dev.rekindle.cli;

import org.jspecify.annotations.NullMarked;
