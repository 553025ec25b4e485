/**
 * Runs the operations of several real sessions against one database in every order of their
 * statements, and holds each order against the rules of the transport.
 */
@NullMarked
package dev.sluice.queue.harel.interleave;

import org.jspecify.annotations.NullMarked;
