/** What a running router shows: health, metrics, and the HTTP endpoint that serves both. */
@org.jspecify.annotations.NullMarked
package dev.sluice.monitor;
