package dev.sluice.model;

/** A row of {@code transport_messages}. */
public record HarelMessage(long seq, String group, String event) {}
