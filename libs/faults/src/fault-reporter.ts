import {
  ALERT_REASONS,
  alertSubject,
  FURTHER_DOCUMENTS,
  MAX_DOCUMENT_LENGTH,
  MAX_INTERFACE_LENGTH,
  type AlertReason,
  type AlertTopic,
  type BridgeApp,
} from '@ssb/events';
import type { Degradations, Logger, Metrics } from '@ssb/platform';
import { toPrintable } from '@ssb/net';
import type { FaultCarrier } from './fault-carrier.js';
import { FAULT_METRICS } from './fault-metrics.js';
import { CONFIRMATION_INTERVAL_MS } from './domain/confirmations.js';
import { DocumentFaults, furtherDocuments } from './domain/document-faults.js';
import { PendingChanges } from './pending-changes.js';

/** What is wrong. The participant is `ALL_PARTICIPANTS` when every one is affected. */
export interface Fault extends Omit<AlertTopic, 'app'> {
  /** One sentence, without payload and secrets. */
  readonly detail: string;
}

export interface FaultReporterOptions {
  readonly app: BridgeApp;
  readonly carrier: FaultCarrier;
  /** Carries the faults of the store that `carrier` uses: queue and database. They must not wait for it. Default: `carrier`. */
  readonly outageCarrier?: FaultCarrier;
  readonly degradations: Degradations;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Counts faults that are dropped, because the carrier accepts none and newer ones fill the memory. */
  readonly dropped?: { inc(): void };
  readonly now?: () => Date;
}

/** Reasons that the carrier of the app cannot report itself. */
const OUTAGES: ReadonlySet<AlertReason> = new Set<AlertReason>(['queue-unavailable', 'database-unavailable']);

/** Topics whose end is repeated, enough for several hundred participants. The oldest are dropped. */
const MAX_ENDED_TOPICS = 5_000;
/** Documents are many, and each has one reporter at a time. */
const MAX_ENDED_DOCUMENTS = 200;

/**
 * Reports faults of one app: in `/health`, as a metric, as a log line at each change, and as an operational alert. Calls return at once; the
 * carrier is called in the background until it accepts.
 */
export class FaultReporter {
  /** Topics without a fault. A topic that is neither here nor in `lasting` may have had a fault since an earlier run. */
  private readonly ended = new Map<string, AlertTopic>();
  private readonly endedDocuments = new Map<string, AlertTopic>();
  private readonly lasting = new Map<string, { readonly topic: AlertTopic; detail: string; since: Date }>();
  private readonly documents = new DocumentFaults();
  private readonly changes: PendingChanges;
  private readonly outageChanges: PendingChanges;
  private readonly occurrences;
  private readonly activeFaults;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: FaultReporterOptions) {
    const { carrier, outageCarrier, metrics, log, dropped, now } = options;
    this.changes = new PendingChanges(carrier, log, now, dropped);
    this.outageChanges =
      outageCarrier === undefined ? this.changes : new PendingChanges(outageCarrier, log, now, dropped);
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
    await Promise.all([this.changes.stop(), this.outageChanges.stop()]);
  }

  /**
   * Reports an occurrence. A fault that can be cleared is reported once, until it is cleared. Of many documents of one interface, the first
   * have a fault of their own, and the others share one.
   */
  raise({ detail, ...fault }: Fault): void {
    const topic = this.toTopic(fault);
    const { document, reason } = topic;
    if (!ALERT_REASONS[reason].clears) {
      this.report(topic, detail);
      return;
    }
    const place = document === undefined ? 'own' : this.documents.add(topic);
    if (place === 'own') this.raiseLasting(topic, detail);
    else this.changeFurther(topic, place === 'further', `; the latest: ${detail}`);
    if (document !== undefined && place === 'own') this.changeFurther(topic, false);
  }

  /** Reports the end of a fault. Harmless when there is none, so a check may call it after each success. */
  clear(fault: Omit<Fault, 'detail'>): void {
    const topic = this.toTopic(fault);
    const { document } = topic;
    // The shared fault ends with its last document.
    if (document === FURTHER_DOCUMENTS && this.documents.countFurther(topic) > 0) return;
    if (document !== undefined && this.documents.remove(topic)) this.changeFurther(topic, false);
    else this.end(topic);
  }

  /** Stops showing a fault here, because another replica checks for it now. The fault itself does not end. */
  forget(fault: Omit<Fault, 'detail'>): void {
    const topic = this.toTopic(fault);
    if (topic.document === undefined || !this.documents.remove(topic)) this.withdraw(topic);
    else if (this.documents.countFurther(topic) === 0) this.withdraw(furtherDocuments(topic));
  }

  /** Resolves when every fault that was reported is stored durably. */
  async flush(): Promise<void> {
    await Promise.all([this.changes.flush(), this.outageChanges.flush()]);
  }

  /** Runs regularly after `start`. */
  check(): void {
    // Another process ends a fault that is not confirmed, and its state may be lost.
    for (const { topic, detail } of this.lasting.values()) this.changesOf(topic).raise(topic, detail, 0);
    // Another process may have confirmed the fault at the first call, and ended since.
    for (const topic of [...this.ended.values(), ...this.endedDocuments.values()])
      this.changesOf(topic).clear(topic);
    this.changes.sendSummaries();
    if (this.outageChanges !== this.changes) this.outageChanges.sendSummaries();
  }

  private raiseLasting(topic: AlertTopic, detail: string): void {
    const key = alertSubject(topic);
    const known = this.lasting.get(key);
    const since = known?.since ?? new Date();
    this.endedOf(topic).delete(key);
    this.lasting.set(key, { topic, detail, since });
    this.options.degradations.set(key, { ...describeTopic(topic), detail, since });
    if (known !== undefined) return;
    this.activeFaults.set(labelsOf(topic), 1);
    this.report(topic, detail);
  }

  /** Counts, logs and sends an occurrence. */
  private report(topic: AlertTopic, detail: string): void {
    const { reason, participant } = topic;
    this.occurrences.inc({ reason, participant });
    this.options.log.warn({ ...describeTopic(topic), detail }, 'fault reported');
    this.changesOf(topic).raise(topic, detail);
  }

  /** Compares the fault that documents share with their number. @param isNew a further document is an occurrence */
  private changeFurther(ofDocument: AlertTopic, isNew: boolean, latest = ''): void {
    const topic = furtherDocuments(ofDocument);
    const known = this.lasting.get(alertSubject(topic));
    if (this.documents.countFurther(topic) === 0) {
      if (known !== undefined) this.end(topic);
      return;
    }
    const detail = `${this.documents.describeFurther(topic)}${latest}`;
    this.raiseLasting(topic, detail);
    if (known !== undefined && isNew) this.changesOf(topic).raise(topic, detail);
  }

  private end(topic: AlertTopic): void {
    const key = alertSubject(topic);
    const ended = this.endedOf(topic);
    if (ended.has(key)) return;
    ended.set(key, topic);
    const [oldest = key] = ended.keys();
    if (ended.size > (topic.document === undefined ? MAX_ENDED_TOPICS : MAX_ENDED_DOCUMENTS))
      ended.delete(oldest);
    if (this.lasting.delete(key)) {
      this.options.degradations.delete(key);
      this.showInactive(topic);
      this.options.log.info(describeTopic(topic), 'fault ended');
    }
    this.changesOf(topic).clear(topic);
  }

  private withdraw(topic: AlertTopic): void {
    const key = alertSubject(topic);
    this.endedOf(topic).delete(key);
    if (!this.lasting.delete(key)) return;
    this.options.degradations.delete(key);
    this.showInactive(topic);
    this.changesOf(topic).withdraw(topic);
  }

  /** Several documents share the labels of the metric. */
  private showInactive(topic: AlertTopic): void {
    const labels = labelsOf(topic);
    const text = JSON.stringify(labels);
    const isShown = [...this.lasting.values()].some((each) => JSON.stringify(labelsOf(each.topic)) === text);
    if (!isShown) this.activeFaults.set(labels, 0);
  }

  private endedOf({ document }: AlertTopic): Map<string, AlertTopic> {
    return document === undefined ? this.ended : this.endedDocuments;
  }

  private toTopic(fault: Omit<Fault, 'detail'>): AlertTopic {
    const { reason, participant, channel, sender, interface: interfaceName, document } = fault;
    return {
      app: this.options.app,
      reason,
      participant,
      ...(channel !== undefined && { channel }),
      ...(sender !== undefined && { sender }),
      ...(interfaceName !== undefined && {
        interface: toPrintable(interfaceName, MAX_INTERFACE_LENGTH) || '-',
      }),
      ...(document !== undefined && { document: toPrintable(document, MAX_DOCUMENT_LENGTH) || '-' }),
    };
  }

  private changesOf({ reason }: AlertTopic): PendingChanges {
    return OUTAGES.has(reason) ? this.outageChanges : this.changes;
  }
}

function labelsOf({ reason, participant, channel = '', interface: interfaceName = '' }: AlertTopic) {
  return { reason, participant, channel, interface: interfaceName };
}

function describeTopic({
  reason,
  participant,
  channel,
  sender,
  interface: interfaceName,
  document,
}: AlertTopic) {
  return { reason, participant, channel, sender, interface: interfaceName, document };
}
