/** What a policy's prices and maintenance windows mean, for all that decides or shows by them. */
@NullMarked
package dev.rekindle.detect.policy;

import org.jspecify.annotations.NullMarked;
