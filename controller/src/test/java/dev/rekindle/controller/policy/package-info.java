/** Tests of the rules of policies. */
@NullMarked
package dev.rekindle.controller.policy;

import org.jspecify.annotations.NullMarked;
