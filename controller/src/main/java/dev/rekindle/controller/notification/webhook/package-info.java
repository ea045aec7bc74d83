/** How notifications are written, signed and posted. */
@NullMarked
package dev.rekindle.controller.notification.webhook;

import org.jspecify.annotations.NullMarked;
