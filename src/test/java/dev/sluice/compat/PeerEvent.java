package dev.sluice.compat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.jspecify.annotations.Nullable;

/**
 * Something that a Python program, or a session of ours, did to the tables, and that took effect
 * between two instants.
 *
 * @param what publish, claim, ack, nack or schema
 * @param from unix nanoseconds
 * @param to unix nanoseconds
 * @param worker who claimed or settled; unlike any other in the test
 * @param id of the event
 * @param group of the event
 * @param seq of the message
 * @param delay seconds for which a nack parks the group
 * @param kind of the event, where asked for
 * @param data of the event, where asked for
 */
record PeerEvent(
    @JsonProperty("event") String what,
    long from,
    long to,
    @Nullable String worker,
    @Nullable String id,
    @Nullable String group,
    long seq,
    double delay,
    @Nullable String kind,
    @Nullable JsonNode data) {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  static PeerEvent parse(String line) throws JsonProcessingException {
    return JSON.readValue(line, PeerEvent.class);
  }

  static PeerEvent published(long from, long to, String id, String group) {
    return new PeerEvent("publish", from, to, null, id, group, 0, 0, null, null);
  }

  static PeerEvent claimed(long from, long to, String worker, String id, String group, long seq) {
    return new PeerEvent("claim", from, to, worker, id, group, seq, 0, null, null);
  }

  /** The end of a claim: with an ack, or with a nack. */
  PeerEvent settled(String what, long from, long to, double delay) {
    return new PeerEvent(what, from, to, worker, id, group, seq, delay, null, null);
  }

  boolean is(String kind) {
    return what.equals(kind);
  }

  /** The event's id, where it has one. */
  String eventId() {
    return required(id);
  }

  /** The event's group, where it has one. */
  String groupId() {
    return required(group);
  }

  String workerName() {
    return required(worker);
  }

  private String required(@Nullable String field) {
    if (field == null) {
      throw new AssertionError("incomplete: " + this);
    }
    return field;
  }
}
