package dev.sluice.migrate;

/**
 * One message where it is.
 *
 * @param group its group
 * @param key its id, its seq, or its position in the record
 * @param groupSize how many messages its group has, where that matters
 * @param bytes how long its payload is
 */
record RowKey(String group, String key, long groupSize, long bytes) {}
