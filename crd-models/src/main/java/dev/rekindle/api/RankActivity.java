package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;

/**
 * What a rank used between two samples, half a second apart, before a dump was requested. The
 * kernel counts it: a program can use more than it has to, but cannot use less than it did.
 *
 * @param windowMillis milliseconds between the samples
 * @param cpuMillis processor time of all its processes, in milliseconds; of its container's cgroup,
 *     where it has that for itself
 * @param mainMillis processor time of the main thread of its process, in milliseconds
 * @param ioBytes bytes that went to and came from disks and file systems; -1 where not known
 * @param main what its main thread was doing
 * @param threads threads of its process
 * @param blocked those of them that no signal would have woken
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RankActivity(
    @Min(0) int windowMillis,
    @Min(0) int cpuMillis,
    @Min(0) int mainMillis,
    @Min(-1) long ioBytes,
    @Required MainThread main,
    @Min(0) int threads,
    @Min(0) int blocked) {
  public RankActivity {
    windowMillis = Math.max(0, windowMillis);
    cpuMillis = Math.max(0, cpuMillis);
    mainMillis = Math.max(0, mainMillis);
    ioBytes = Math.max(-1, ioBytes);
    main = main == null ? MainThread.CHANGING : main;
    threads = Math.max(0, threads);
    blocked = Math.max(0, blocked);
  }
}
