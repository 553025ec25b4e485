package dev.sluice.cli;

import dev.sluice.router.PoolSettings;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/** A pool as it is given on the command line: {@code CODE:CONCURRENCY[:PER_MINUTE]}. */
record PoolOption(PoolSettings settings) {
  private static final Pattern FORM = Pattern.compile("(.+?):(\\d{1,9})(?::(\\d{1,9}))?");

  static PoolOption parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is no pool: give CODE:CONCURRENCY or CODE:CONCURRENCY:PER_MINUTE");
    }
    OptionalInt perMinute =
        form.group(3) == null
            ? OptionalInt.empty()
            : OptionalInt.of(Integer.parseInt(form.group(3)));
    try {
      return new PoolOption(
          new PoolSettings(form.group(1), Integer.parseInt(form.group(2)), perMinute));
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
