package dev.sluice.bench;

/** What is measured. Each figure is in seconds for one of {@link #unit}. */
public enum Operation {
  /** One poll of ten messages of the legacy table. */
  POLL("poll", "poll of 10"),
  /** Acknowledges a hundred messages: in one batch, or one by one as the seed must. */
  ACK("ack", "message"),
  /** Hands a hundred messages back. */
  NACK("nack", "message"),
  /** Writes 10,000 messages in batches of a thousand; COPY writes them in one command. */
  PUBLISH("publish", "message"),
  /** Writes a hundred messages one by one with Go's statement: what our indexes cost producers. */
  INSERT("insert", "message"),
  /** Polls and acknowledges in batches of a hundred. */
  DRAIN("drain", "message"),
  /** Delivers over HTTP to a target in this process, 64 at a time. */
  HTTP("http", "message"),
  /** From the publish of a message to its delivery, by a router that has nothing else to do. */
  LATENCY("latency", "message"),
  /** Claims one group of the harel tables. */
  CLAIM("claim", "claim"),
  /** Claims of four sessions at once. */
  SESSIONS("sessions", "claim"),
  /** Acknowledges a hundred messages of the harel tables. */
  HAREL_ACK("harel-ack", "message"),
  /** Claims and acknowledges on the harel tables in batches of a hundred. */
  HAREL_DRAIN("harel-drain", "message");

  private final String label;
  private final String unit;

  Operation(String label, String unit) {
    this.label = label;
    this.unit = unit;
  }

  /** As it is named on the command line and in reports. */
  public String label() {
    return label;
  }

  /** What a figure is the time of. */
  public String unit() {
    return unit;
  }

  boolean ofHarel() {
    return compareTo(CLAIM) >= 0;
  }

  @Override
  public String toString() {
    return label;
  }
}
