/** Which policy holds for a job: what it names, within what the cluster's own policy allows. */
@NullMarked
package dev.rekindle.controller.policy;

import org.jspecify.annotations.NullMarked;
