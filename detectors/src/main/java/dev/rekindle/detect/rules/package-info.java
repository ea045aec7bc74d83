/** From what a log reports to what follows: rules as data, and the judge that applies them. */
@NullMarked
package dev.rekindle.detect.rules;

import org.jspecify.annotations.NullMarked;
