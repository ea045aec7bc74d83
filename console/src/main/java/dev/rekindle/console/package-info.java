/**
 * The console: pages and a JSON interface about recoveries, for people and their programs. Reads
 * the API server and writes nothing but reviews of tokens and of rights. No other role loads it.
 */
@NullMarked
package dev.rekindle.console;

import org.jspecify.annotations.NullMarked;
