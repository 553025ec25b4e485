/** What both backends need of JDBC: running one statement, and telling its failure. */
@org.jspecify.annotations.NullMarked
package dev.sluice.queue.jdbc;
