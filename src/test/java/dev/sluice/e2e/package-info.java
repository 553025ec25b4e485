/** The program as a whole: real processes, a real database, a real target. */
@org.jspecify.annotations.NullMarked
package dev.sluice.e2e;
