/** Runs ours beside the programs of compat-tests/, which use the real libraries of the others. */
@org.jspecify.annotations.NullMarked
package dev.sluice.compat;
