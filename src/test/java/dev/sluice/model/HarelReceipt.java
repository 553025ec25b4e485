package dev.sluice.model;

/** What settles a claimed event: its group, its number and the token of the claim. */
public record HarelReceipt(String group, long seq, String token) {}
