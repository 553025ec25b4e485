/** Sluice drains PostgreSQL message queues over HTTP, in group order. */
@org.jspecify.annotations.NullMarked
package dev.sluice;
