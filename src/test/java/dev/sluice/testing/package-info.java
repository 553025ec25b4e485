/** What the tests share. */
@org.jspecify.annotations.NullMarked
package dev.sluice.testing;
