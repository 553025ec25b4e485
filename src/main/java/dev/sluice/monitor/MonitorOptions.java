package dev.sluice.monitor;

import java.util.Optional;

/**
 * What a {@link Monitor} serves, and where.
 *
 * @param address where it listens
 * @param version of this program, as it is shown
 * @param credentials asked for everywhere but on the health and metrics paths; empty for nowhere
 */
public record MonitorOptions(
    HttpAddress address, String version, Optional<Credentials> credentials) {}
