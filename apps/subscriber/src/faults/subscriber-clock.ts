import { Inject, Injectable } from '@nestjs/common';
import type { Message } from '@ssb/bus';
import { ALL_PARTICIPANTS } from '@ssb/events';
import { FaultReporter } from '@ssb/faults';
import type { ClockReading } from '@ssb/net';
import {
  AgreedClock,
  ClockMonitor,
  LOGGER,
  Metrics,
  SETTINGS,
  type ClockFaults,
  type Logger,
} from '@ssb/platform';
import { readDatabaseClock, type Database } from '@ssb/postgres';
import { DATABASE } from '../database/database-options.js';
import { toMilliseconds } from '../domain/nanoseconds.js';
import type { Settings } from '../settings.js';

/** The clocks that the subscriber compares with its own. */
export const SOURCES = ['broker', 'gateway', 'database'] as const;

/** Compares the clock of this replica with others. The verification of messages uses none. */
@Injectable()
export class SubscriberClock {
  private readonly monitor: ClockMonitor<(typeof SOURCES)[number]>;
  private readonly agreed: AgreedClock;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(FaultReporter) faults: ClockFaults,
    metrics: Metrics,
    @Inject(LOGGER) log: Logger,
  ) {
    const limitMs = settings.CLOCK_OFFSET_LIMIT_MS;
    const participant = ALL_PARTICIPANTS;
    this.monitor = new ClockMonitor({
      sources: SOURCES,
      participant,
      limitMs,
      deciding: { name: 'the gateway', primary: ['gateway'], reference: 'database' },
      faults,
      metrics,
      log,
    });
    this.agreed = new AgreedClock(this.monitor);
  }

  /** The time by which events and heartbeats are late. */
  now(): Date {
    return this.agreed.now();
  }

  start(): void {
    this.monitor.watch(async () => this.monitor.observe('database', await readDatabaseClock(this.database)));
  }

  /** Compares with the clock of a response of the gateway. */
  observeGateway(reading: ClockReading): void {
    this.monitor.observe('gateway', reading);
  }

  /** Compares with the clock of the broker, which sets the time of each message. */
  observeMessages(messages: readonly Message[]): void {
    const receivedAt = Date.now();
    let newest = 0n;
    for (const { timestampNanos } of messages) if (timestampNanos > newest) newest = timestampNanos;
    this.monitor.observeDelivery('broker', toMilliseconds(newest), receivedAt);
  }

  stop(): void {
    this.monitor.stop();
  }
}
