/** A headless Chromium for tests, and what every page must fulfil in it. */
@NullMarked
package dev.rekindle.browser;

import org.jspecify.annotations.NullMarked;
