/**
 * Measures ours beside the seeds' statements on tables of a scratch schema; see {@code
 * docs/performance.md} for the method.
 */
@org.jspecify.annotations.NullMarked
package dev.sluice.bench;
