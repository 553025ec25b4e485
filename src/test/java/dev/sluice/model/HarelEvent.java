package dev.sluice.model;

/** An event to publish; its priority counts only where it is the first of its group. */
public record HarelEvent(String group, String event, int priority) {}
