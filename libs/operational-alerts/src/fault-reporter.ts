import { ALERT_REASONS, alertSubject, type AlertTopic, type BridgeApp } from '@ssb/events';
import type { Degradations, Logger, Metrics } from '@ssb/platform';
import type { AlertCarrier } from './alert-carrier.js';
import { FAULT_METRICS } from './alert-metrics.js';
import { CONFIRMATION_INTERVAL_MS } from './domain/confirmations.js';
import { PendingChanges } from './pending-changes.js';

/** What is wrong. The participant is `ALL_PARTICIPANTS` when every one is affected. */
export interface Fault extends Omit<AlertTopic, 'app'> {
  /** One sentence, without payload and secrets. */
  readonly detail: string;
}

export interface FaultReporterOptions {
  readonly app: BridgeApp;
  readonly carrier: AlertCarrier;
  /** Carries `queue-unavailable`, which must not wait for a carrier that uses the queue. Default: `carrier`. */
  readonly queueFaultCarrier?: AlertCarrier;
  readonly degradations: Degradations;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly now?: () => Date;
}

/** Topics whose end is repeated: more than several hundred participants have. Of more, the oldest are left out. */
const MAX_ENDED_TOPICS = 5_000;

/**
 * Reports faults of one app: in `/health`, as a metric, as a log line at each change, and as an operational alert. Calls return at once; the
 * carrier is called in the background until it accepts.
 */
export class FaultReporter {
  /** Topics that are fine here. One that is neither here nor in `lasting` may be active since an earlier run. */
  private readonly ended = new Map<string, AlertTopic>();
  private readonly lasting = new Map<string, { readonly topic: AlertTopic; detail: string; since: Date }>();
  private readonly changes: PendingChanges;
  private readonly queueFaultChanges: PendingChanges;
  private readonly occurrences;
  private readonly activeFaults;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: FaultReporterOptions) {
    const { carrier, queueFaultCarrier, metrics, log, now } = options;
    this.changes = new PendingChanges(carrier, log, now);
    this.queueFaultChanges =
      queueFaultCarrier === undefined ? this.changes : new PendingChanges(queueFaultCarrier, log, now);
    this.occurrences = metrics.counter(FAULT_METRICS.occurrences);
    this.activeFaults = metrics.gauge(FAULT_METRICS.active);
  }

  /** Sends what an earlier run left behind, then checks regularly. */
  start(): void {
    this.check();
    this.timer = setInterval(() => this.check(), CONFIRMATION_INTERVAL_MS);
  }

  /** Leaves lasting faults to other processes, and makes one more attempt to store what is pending. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    for (const { topic } of this.lasting.values()) this.changesOf(topic).withdraw(topic);
    await Promise.all([this.changes.stop(), this.queueFaultChanges.stop()]);
  }

  /** Reports an occurrence. A fault that can be cleared is reported once, until it is cleared. */
  raise({ detail, ...fault }: Fault): void {
    const topic: AlertTopic = { app: this.options.app, ...fault };
    const key = alertSubject(topic);
    const { participant, channel, reason, sender } = topic;
    if (ALERT_REASONS[reason].clears) {
      const known = this.lasting.get(key);
      const since = known?.since ?? new Date();
      this.ended.delete(key);
      this.lasting.set(key, { topic, detail, since });
      this.options.degradations.set(key, { reason, participant, channel, sender, detail, since });
      if (known !== undefined) return;
      this.activeFaults.set({ reason, participant, channel: channel ?? '' }, 1);
    }
    this.occurrences.inc({ reason, participant });
    this.options.log.warn({ reason, participant, channel, sender, detail }, 'fault reported');
    this.changesOf(topic).raise(topic, detail);
  }

  /** Reports the end of a fault. Harmless when there is none, so a check may call it after each success. */
  clear(fault: Omit<Fault, 'detail'>): void {
    const topic: AlertTopic = { app: this.options.app, ...fault };
    const key = alertSubject(topic);
    if (this.ended.has(key)) return;
    this.ended.set(key, topic);
    const [oldest = key] = this.ended.keys();
    if (this.ended.size > MAX_ENDED_TOPICS) this.ended.delete(oldest);
    const { participant, channel, reason } = topic;
    if (this.lasting.delete(key)) {
      this.options.degradations.delete(key);
      this.activeFaults.set({ reason, participant, channel: channel ?? '' }, 0);
      this.options.log.info({ reason, participant, channel }, 'fault ended');
    }
    this.changesOf(topic).clear(topic);
  }

  /** Stops showing a fault here, because another replica checks for it now. The fault itself does not end. */
  forget(fault: Omit<Fault, 'detail'>): void {
    const topic: AlertTopic = { app: this.options.app, ...fault };
    const key = alertSubject(topic);
    this.ended.delete(key);
    if (this.lasting.delete(key)) {
      const { participant, channel, reason } = fault;
      this.options.degradations.delete(key);
      this.activeFaults.set({ reason, participant, channel: channel ?? '' }, 0);
      this.changesOf(topic).withdraw(topic);
    }
  }

  /** Resolves when every fault that was reported is stored durably. */
  async flush(): Promise<void> {
    await Promise.all([this.changes.flush(), this.queueFaultChanges.flush()]);
  }

  /** Runs regularly after `start`. */
  check(): void {
    // Another process ends a fault that is not confirmed, and its state may be lost.
    for (const { topic, detail } of this.lasting.values()) this.changesOf(topic).raise(topic, detail, 0);
    // Another process may have confirmed the fault at the first call, and ended since.
    for (const topic of this.ended.values()) this.changesOf(topic).clear(topic);
    this.changes.sendSummaries();
    if (this.queueFaultChanges !== this.changes) this.queueFaultChanges.sendSummaries();
  }

  private changesOf({ reason }: AlertTopic): PendingChanges {
    return reason === 'queue-unavailable' ? this.queueFaultChanges : this.changes;
  }
}
