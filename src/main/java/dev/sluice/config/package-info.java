/**
 * What a router of many queues and pools is told: the JSON document of the Go router, from files
 * and URLs, read again while it runs.
 *
 * <p>Nothing here opens a queue or knows a command.
 */
@org.jspecify.annotations.NullMarked
package dev.sluice.config;
