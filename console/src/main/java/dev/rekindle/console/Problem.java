package dev.rekindle.console;

import io.micronaut.serde.annotation.Serdeable;

/**
 * Why there is no answer.
 *
 * @param status the HTTP status
 * @param message one sentence
 */
@Serdeable.Serializable
record Problem(int status, String message) {}
