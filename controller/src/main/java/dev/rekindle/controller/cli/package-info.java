/** What the commands on a cluster show, and what a release of a node consists of: pure. */
@NullMarked
package dev.rekindle.controller.cli;

import org.jspecify.annotations.NullMarked;
