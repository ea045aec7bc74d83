/** GPU faults as the NVIDIA driver prints them, and the catalogue that tells what they mean. */
@NullMarked
package dev.rekindle.detect.xid;

import org.jspecify.annotations.NullMarked;
