package dev.rekindle.detect.judge;

import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.rules.RuleResult;
import java.util.Optional;

/**
 * One recognised line and what follows from it.
 *
 * @param line its number, from 1
 * @param time as the log says it; empty where it says none
 * @param finding what it reports
 * @param uuid UUID of the GPU, where the log has named it; else empty
 * @param judgement what follows
 */
record Judged(
    long line, Optional<String> time, Finding finding, String uuid, RuleResult judgement) {}
