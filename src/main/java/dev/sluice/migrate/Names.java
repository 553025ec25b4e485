package dev.sluice.migrate;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the tables of both sides are called, put into statements for {@code {name}}. */
record Names(Map<String, String> names) {
  static final String LEGACY = "legacy";
  static final String LEGACY_FAILED = "legacy_failed";
  static final String MESSAGES = "messages";
  static final String GROUPS = "groups";
  static final String HAREL_FAILED = "harel_failed";
  static final String RECORD = "record";
  static final String OWN = "own";
  static final String SEQUENCE = "sequence";

  Names {
    names = new LinkedHashMap<>(names);
  }

  String get(String name) {
    return names.getOrDefault(name, "");
  }

  String in(String sql) {
    String filled = sql;
    for (Map.Entry<String, String> name : names.entrySet()) {
      filled = filled.replace("{" + name.getKey() + "}", name.getValue());
    }
    return filled;
  }
}
