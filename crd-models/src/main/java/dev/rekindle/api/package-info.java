/**
 * Rekindle's own resources: group {@code rekindle.dev}, version {@code v1alpha1}.
 *
 * <p>These records are the source of the CRD schemas that the chart installs. Every field but the
 * identifying ones may be absent in a stored object; the compact constructors replace absence by an
 * empty value, so that readers never meet null where the component is not {@code @Nullable}.
 */
@NullMarked
package dev.rekindle.api;

import org.jspecify.annotations.NullMarked;
