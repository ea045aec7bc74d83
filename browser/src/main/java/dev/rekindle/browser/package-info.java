/** A headless Chromium for tests, and what every page of ours must hold in it. */
@NullMarked
package dev.rekindle.browser;

import org.jspecify.annotations.NullMarked;
