/** GPU faults as the NVIDIA driver prints them, and the catalogue that says what they mean. */
@NullMarked
package dev.rekindle.detect.xid;

import org.jspecify.annotations.NullMarked;
