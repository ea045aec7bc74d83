package dev.rekindle.console;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.bind.annotation.Bindable;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/**
 * What the console may spend: environment variables {@code REKINDLE_CONSOLE_...}.
 *
 * @param reviewSeconds how long an answer about a token or a right is cached
 * @param maxReviews how many such answers are kept
 * @param maxReviewsPerUser how many reviews the API server is asked for in {@code reviewSeconds}
 *     for one user, or the service accounts of one namespace
 * @param maxNamespaces how many namespaces are checked for one list of a user who may not see all;
 *     the others are left out
 * @param maxStreams how many browsers may listen at once
 * @param maxStreamsPerUser how many of one user, or of the service accounts of one namespace
 * @param streamSeconds how long one may before it must show its token again
 */
@ConfigurationProperties("rekindle.console")
record ConsoleConfig(
    @Bindable(defaultValue = "30") @Min(1) @Max(300) int reviewSeconds,
    @Bindable(defaultValue = "10000") @Min(100) @Max(100_000) int maxReviews,
    @Bindable(defaultValue = "256") @Min(32) @Max(100_000) int maxReviewsPerUser,
    @Bindable(defaultValue = "64") @Min(1) @Max(1000) int maxNamespaces,
    @Bindable(defaultValue = "200") @Min(1) @Max(10_000) int maxStreams,
    @Bindable(defaultValue = "20") @Min(1) @Max(10_000) int maxStreamsPerUser,
    @Bindable(defaultValue = "600") @Min(10) @Max(3600) int streamSeconds) {}
