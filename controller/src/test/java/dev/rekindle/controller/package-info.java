/** What the controller's tests share. */
@NullMarked
package dev.rekindle.controller;

import org.jspecify.annotations.NullMarked;
