/**
 * Moves a queue between the two schemas while both are in use; see {@code docs/migration.md} for
 * why order holds and nothing is lost.
 */
@org.jspecify.annotations.NullMarked
package dev.sluice.migrate;
