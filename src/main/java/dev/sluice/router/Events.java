package dev.sluice.router;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a router tells its operator: one line per event, key=value, never a secret or a payload. */
final class Events {
  private static final Logger log = LoggerFactory.getLogger(Router.class);

  private final String queue;

  Events(String queue) {
    this.queue = LogText.value(queue);
  }

  void delivered(Held message) {
    if (log.isDebugEnabled()) {
      log.debug("event=delivered {}", ids(message));
    }
  }

  void suppressed(Held message) {
    if (log.isDebugEnabled()) {
      log.debug("event=suppressed {}", ids(message));
    }
  }

  void flushed(Held message, Duration time) {
    if (!message.flushGroup().isEmpty()) {
      log.info("event=group_flushed {} seconds={}", ids(message), time.toSeconds());
    }
  }

  void handedBack(Held message, Disposition.HandBack handBack) {
    if (handBack instanceof Disposition.Release release) {
      log.info(
          "event=released {} target={} delaySeconds={} reason={}",
          ids(message),
          target(message),
          release.delay().toSeconds(),
          LogText.value(release.reason()));
    } else {
      log.info(
          "event=deferred {} target={} delaySeconds={}",
          ids(message),
          target(message),
          handBack.delay().toSeconds());
    }
  }

  void followersGoBack(OrderedGroup<Held> group, int count, Duration delay) {
    log.info(
        group.isBlocked()
            ? "event=followers_quarantined queue={} pool={} group={} count={}"
            : "event=followers_handed_back queue={} pool={} group={} count={} delaySeconds={}",
        queue,
        LogText.value(group.pool()),
        LogText.value(group.key()),
        count,
        delay.toSeconds());
  }

  void rejected(Held message, Disposition.Reject reject, boolean drops, boolean blocks) {
    String end = blocks ? "BLOCK" : drops ? "DROP" : "QUARANTINE";
    if (reject.critical()) {
      log.error(
          "event=rejected severity=CRITICAL {} target={} end={} reason={}",
          ids(message),
          target(message),
          end,
          LogText.value(reject.reason()));
    } else {
      log.warn(
          "event=rejected severity=ERROR {} target={} end={} reason={}",
          ids(message),
          target(message),
          end,
          LogText.value(reject.reason()));
    }
  }

  void retryWaits(Held message, Duration delay) {
    if (log.isDebugEnabled()) {
      log.debug(
          "event=retry_in_place {} calls={} delayMillis={}",
          ids(message),
          message.calls(),
          delay.toMillis());
    }
  }

  void broke(Held message, Throwable fault) {
    // The fault's own text may quote what it was given; its class and place tell enough.
    log.error(
        "event=internal_error {} error={} at={}",
        ids(message),
        fault.getClass().getName(),
        fault.getStackTrace().length == 0 ? "unknown" : fault.getStackTrace()[0]);
  }

  void claimLost(Held message) {
    log.warn("event=claim_lost {}", ids(message));
  }

  void leftToLapse(Held message, String cause) {
    log.error("event=left_to_lapse {} reason={}", ids(message), LogText.value(cause));
  }

  void settlingFails(int count, String cause) {
    log.warn("event=settling_fails queue={} kept={} reason={}", queue, count, LogText.value(cause));
  }

  void settlementsRefused(int count, String cause) {
    log.error(
        "event=settlements_refused queue={} kept={} reason={}", queue, count, LogText.value(cause));
  }

  void settlingResumed() {
    log.info("event=settling_resumed queue={}", queue);
  }

  void extendingFails(String cause) {
    log.warn("event=extending_fails queue={} reason={}", queue, LogText.value(cause));
  }

  void extendingResumed() {
    log.info("event=extending_resumed queue={}", queue);
  }

  void pollingFails(String cause) {
    log.warn("event=polling_fails queue={} reason={}", queue, LogText.value(cause));
  }

  void pollingResumed() {
    log.info("event=polling_resumed queue={}", queue);
  }

  void quarantinedMalformed(int count) {
    log.warn("event=malformed_quarantined queue={} count={}", queue, count);
  }

  void unknownPool(String code) {
    log.warn(
        "event=unknown_pool queue={} pool={} used={}",
        queue,
        LogText.value(code),
        PoolSettings.DEFAULT_CODE);
  }

  void poolFull(String code, int count) {
    log.info("event=pool_full queue={} pool={} count={}", queue, LogText.value(code), count);
  }

  void started() {
    log.info("event=started queue={}", queue);
  }

  void stopping(long delivering) {
    log.info("event=stopping queue={} delivering={}", queue, delivering);
  }

  void drainTimeOver(int delivering) {
    log.warn("event=drain_time_over queue={} left={}", queue, delivering);
  }

  void stopped() {
    log.info("event=stopped queue={}", queue);
  }

  private String ids(Held message) {
    return "queue="
        + queue
        + " pool="
        + LogText.value(message.pool().code())
        + " group="
        + LogText.value(message.flushGroup())
        + " id="
        + LogText.value(message.id());
  }

  private static String target(Held message) {
    return LogText.target(message.delivery().message().mediationTarget());
  }
}
