/** The command line: one class per command, and what they share. */
@org.jspecify.annotations.NullMarked
package dev.sluice.cli;
