/** The commands; each a thin shell around the packages below. */
@org.jspecify.annotations.NullMarked
package dev.sluice.cli;
