package dev.sluice.model;

/** A claimed event. */
public record HarelClaim(HarelReceipt receipt, String event) {}
