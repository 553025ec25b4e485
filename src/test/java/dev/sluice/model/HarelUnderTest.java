package dev.sluice.model;

import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleSupplier;
import javax.sql.DataSource;

/**
 * One process that publishes to and claims from a harel deployment, as the tests need it. Safe for
 * use by many threads. Durations are seconds, and each answer to a batch is the set of the receipts
 * that held nothing any more.
 */
public interface HarelUnderTest extends AutoCloseable {

  /** What not every transport can do. */
  enum Capability {
    /** An ack says which receipts held nothing. */
    ACK_ANSWERS,
    /** An ack with the seq of another group's message, or of none, holds nothing. */
    SEQ_FENCE,
    /** A claim from priority 0 takes groups of negative priority too. */
    EVERY_PRIORITY,
    /** Has a quarantine. */
    QUARANTINE,
    /** Can extend a lease. */
    EXTEND
  }

  /** Opens a transport. */
  @FunctionalInterface
  interface Factory {

    /**
     * Opens one process. Closing it leaves the data source open.
     *
     * @param dataSource where the tables, the quarantine and the seed's two functions exist
     * @param names what they are called
     * @param epochSeconds the time by which it claims, frees, parks and quarantines; may be asked
     *     by many threads
     */
    HarelUnderTest open(DataSource dataSource, HarelNames names, DoubleSupplier epochSeconds);
  }

  /** A message handed back, parked for {@code delay} seconds if that is more than zero. */
  record Return(HarelReceipt receipt, double delay) {}

  /** A message given up. */
  record Rejection(HarelReceipt receipt, String error) {}

  /** What this one can do. */
  default Set<Capability> capabilities() {
    return EnumSet.allOf(Capability.class);
  }

  /** Publishes one event. */
  void publish(HarelEvent event);

  /** Publishes several, those of one group in this order. */
  void publishBatch(List<HarelEvent> events);

  /**
   * Claims the heads of up to {@code max} groups under one token, those first whose groups were
   * served longest ago.
   */
  List<HarelClaim> claim(String worker, double visibility, int minPriority, int max);

  /** Deletes the messages. */
  Set<HarelReceipt> ack(List<HarelReceipt> receipts);

  /** Hands the messages back. */
  Set<HarelReceipt> nack(List<Return> returns);

  /** Moves the messages to quarantine. */
  Set<HarelReceipt> reject(List<Rejection> rejections);

  /** Lets the claims lapse {@code visibility} seconds from now. */
  Set<HarelReceipt> extend(List<HarelReceipt> receipts, double visibility);

  /** Puts messages back from quarantine; says how many were there. */
  int requeue(Collection<Long> seqs);

  @Override
  void close();
}
