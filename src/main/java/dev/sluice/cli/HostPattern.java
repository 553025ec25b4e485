package dev.sluice.cli;

import dev.sluice.delivery.AllowedTargets;
import java.util.List;
import picocli.CommandLine.TypeConversionException;

/** A pattern of hosts that may be called, as it is given on the command line. */
record HostPattern(String text) {

  static HostPattern parse(String text) {
    try {
      AllowedTargets unused = AllowedTargets.of(List.of(text));
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
    return new HostPattern(text);
  }
}
