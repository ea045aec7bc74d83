/** The pods of the node and their jobs, as the API server shows them. */
@NullMarked
package dev.rekindle.agent.pods;

import org.jspecify.annotations.NullMarked;
