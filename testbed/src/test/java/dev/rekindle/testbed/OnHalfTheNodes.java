package dev.rekindle.testbed;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A test that has half of the nodes to itself, while another one of its class has the others. All
 * tests of a class have it or none, as those without it run beside those that have it. It may break
 * nodes and agents, not what all share: controllers, API server, namespaces.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Execution(ExecutionMode.CONCURRENT)
@interface OnHalfTheNodes {}
