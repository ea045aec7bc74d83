/**
 * From kernel records to faults: what a record reports, about which component, what follows from it
 * by the rules, and whom it hit.
 */
@NullMarked
package dev.rekindle.detect.kernelfault;

import org.jspecify.annotations.NullMarked;
