/** One message to one target over HTTP: the request, its signature, and what the answer means. */
@org.jspecify.annotations.NullMarked
package dev.sluice.delivery;
