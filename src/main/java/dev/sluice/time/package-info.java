/**
 * Time as the rest sees it: injected, so that tests never wait for it. Depends on nothing of ours.
 */
@org.jspecify.annotations.NullMarked
package dev.sluice.time;
