package dev.sluice.router;

/** Where a message is while the router holds it. */
enum Place {
  /** It waits for its turn, or to go back behind another. */
  BUFFER,
  /** Its target is being called. */
  WORKER,
  /** It waits for its next call. */
  BACKOFF,
  /** Its disposition is known and not yet committed. */
  SETTLING
}
