/**
 * Pages about recoveries, nodes and the fleet, made of API objects and the time alone: HTML,
 * Markdown and JSON. Reads nothing, writes nothing.
 */
@NullMarked
package dev.rekindle.page;

import org.jspecify.annotations.NullMarked;
