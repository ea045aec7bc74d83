/** The input and the vocabulary of decisions: flat views of objects, policies, limits and words. */
@NullMarked
package dev.rekindle.controller.model;

import org.jspecify.annotations.NullMarked;
