/**
 * Notifications of recoveries and fences by webhook: which are due, what was delivered, and the
 * threads that send. Nothing else waits for any of it.
 */
@NullMarked
package dev.rekindle.controller.notification;

import org.jspecify.annotations.NullMarked;
