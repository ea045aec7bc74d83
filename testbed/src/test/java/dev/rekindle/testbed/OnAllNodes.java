package dev.rekindle.testbed;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A test that plays several scenarios at once, and needs both halves of the nodes for them. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface OnAllNodes {}
