package dev.sluice.cli;

import dev.sluice.delivery.TargetUrl;
import dev.sluice.delivery.UndeliverableException;
import picocli.CommandLine.TypeConversionException;

/** The URL for events without a message, as it is given on the command line. */
record EventTarget(String url) {

  // A slip costs a line here; found at the delivery it would quarantine every event.
  static EventTarget parse(String text) {
    try {
      TargetUrl.parse(text);
    } catch (UndeliverableException e) {
      throw new TypeConversionException("'" + text + "' is no URL to call: " + e.getMessage());
    }
    return new EventTarget(text);
  }
}
