package dev.sluice.queue;

import java.util.List;

/** Tables are missing or differ from what the backend needs; the message names what and where. */
public class SchemaException extends QueueException {
  private static final long serialVersionUID = 1L;

  public SchemaException(List<String> differences) {
    super(String.join("; ", differences));
  }
}
