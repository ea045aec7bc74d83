/**
 * End to end, on a real cluster: real kubelets, real PyTorch, Rekindle installed by its chart. Run
 * by {@code mvn verify -Pcluster}.
 *
 * <p>A test takes a {@link dev.rekindle.testbed.Scene}: it makes training jobs, hurts them, watches
 * what happens, and is cleaned up after the test. What a person needs to understand a failure is in
 * {@code testbed/target/e2e/<test>}.
 */
@NullMarked
package dev.rekindle.testbed;

import org.jspecify.annotations.NullMarked;
