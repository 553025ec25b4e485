package dev.sluice.queue.harel.interleave;

/** A row of the messages table; in one exploration an event text is written once. */
record Message(String group, long seq, String event) {}
