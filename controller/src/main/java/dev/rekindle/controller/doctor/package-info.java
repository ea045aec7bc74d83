/** What Rekindle has to go by for a running job, and what its owner can add: pure. */
@NullMarked
package dev.rekindle.controller.doctor;

import org.jspecify.annotations.NullMarked;
