/** SXids: errors of NVSwitches, as their driver logs them. */
@NullMarked
package dev.rekindle.detect.sxid;

import org.jspecify.annotations.NullMarked;
