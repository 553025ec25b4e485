/**
 * The router under load, with targets that record what they saw and when. An ordinary run is short;
 * {@code -Dsluice.load.full=true} makes it as large as it is meant to be.
 */
@org.jspecify.annotations.NullMarked
package dev.sluice.load;
