package dev.sluice.config;

import dev.sluice.config.ConfigReader.Warning;
import dev.sluice.router.LogText;
import dev.sluice.time.Time;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the config from its sources, again and again. What is left out, such as an unknown key, is
 * logged the first time only. Not safe for use by many threads.
 */
public final class ConfigLoader {
  private static final Logger log = LoggerFactory.getLogger(ConfigLoader.class);
  private static final int MOST_BYTES = 4 << 20;

  private final List<ConfigSource> sources;
  private final ConfigFetch fetch;
  private final Set<Warning> told = new HashSet<>();

  /**
   * @param sources at least one; the first to name something wins
   * @param time ends a fetch that takes too long
   */
  public ConfigLoader(List<ConfigSource> sources, Time time) {
    if (sources.isEmpty()) {
      throw new IllegalArgumentException("config: no source");
    }
    this.sources = List.copyOf(sources);
    this.fetch = new ConfigFetch(time);
  }

  /** Whether a source is a URL, whose changes nobody tells. */
  public boolean hasUrl() {
    return sources.stream().anyMatch(ConfigSource.Url.class::isInstance);
  }

  /**
   * Reads all sources; takes up to 10 s for each URL.
   *
   * @throws ConfigException if a source does not answer or is wrong, or none names a queue
   */
  public RouterConfig load() {
    Merge merge = new Merge();
    for (ConfigSource source : sources) {
      ConfigReader reader = new ConfigReader(source.toString());
      merge.add(source.toString(), reader.read(bytes(source)));
      reader.warnings().forEach(warning -> warnOnce(source, warning));
    }
    merge.warnings().forEach(warning -> warnOnce(sources.get(0), warning));
    RouterConfig config = merge.merged();
    // Taken for a config, any JSON object of another kind would end the work of a running router.
    if (config.queues().isEmpty()) {
      throw ConfigException.wrong(
          String.join(", ", sources.stream().map(ConfigSource::toString).toList()),
          "names no queue");
    }
    return config;
  }

  private void warnOnce(ConfigSource source, Warning warning) {
    if (told.add(new Warning(source + " " + warning.about(), ""))) {
      log.warn("event=config_ignored what={}", LogText.value(warning.text()));
    }
  }

  private byte[] bytes(ConfigSource source) {
    if (source instanceof ConfigSource.Url url) {
      return fetch.get(url, MOST_BYTES);
    }
    return read((ConfigSource.File) source);
  }

  private static byte[] read(ConfigSource.File source) {
    try (InputStream file = Files.newInputStream(source.path())) {
      byte[] bytes = file.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        throw ConfigException.wrong(
            source.toString(), "is larger than " + (MOST_BYTES >> 20) + " MiB");
      }
      return bytes;
    } catch (NoSuchFileException e) {
      throw ConfigException.wrong(source.toString(), "there is no such file");
    } catch (AccessDeniedException e) {
      throw ConfigException.wrong(source.toString(), "no permission to read it");
    } catch (IOException e) {
      throw ConfigException.wrong(source.toString(), "cannot be read");
    }
  }
}
