import { alertSubject, type AlertTopic, type BridgeApp, type DetectedEvent } from '@ssb/events';
import type { FaultCarrier, Occurrences } from './fault-carrier.js';
import { createFaultEvent } from './create-fault-event.js';
import type { ReportAllowance } from './domain/report-allowance.js';
import {
  decideClear,
  decideDue,
  decideEndOfHour,
  decideHeld,
  decideRaise,
  type FaultDecision,
  type SavedFaults,
} from './domain/decide-reports.js';
import { isExpired, type FaultState } from './domain/fault-state.js';

/** The state is not shared. */
const PROCESS_ID = 'self';

/** Receivers that need neither queue nor database, such as `OperationsWebhook`. */
export interface FaultReceivers {
  /** Returns at once. */
  post(event: DetectedEvent): unknown;
}

/**
 * Posts the alerts of faults that make Redis or the database unusable. Their state is in memory, so each replica reports its own, and a restart begins
 * without faults.
 */
export class WebhookFaultCarrier implements FaultCarrier {
  private readonly faults = new Map<string, FaultState>();
  private allowance: ReportAllowance | undefined;

  constructor(
    private readonly app: BridgeApp,
    private readonly receivers: FaultReceivers,
  ) {}

  async raise(occurrences: Occurrences, now: Date): Promise<void> {
    this.update(
      alertSubject(occurrences.topic),
      (saved) => decideRaise(saved, occurrences, PROCESS_ID, now),
      now,
    );
  }

  async clear(topic: AlertTopic, now: Date): Promise<void> {
    this.update(alertSubject(topic), (saved) => decideClear(saved, PROCESS_ID, now), now);
  }

  async withdraw(): Promise<void> {
    // No other process knows these faults.
  }

  async sendSummaries(now: Date): Promise<void> {
    this.post(decideEndOfHour(this.app, this.allowance, now), now);
    for (const [key, fault] of this.faults)
      if (isExpired(fault, now)) this.faults.delete(key);
      else this.update(key, (saved) => decideDue(saved, now), now);
    this.post(decideHeld(this.app, this.faults.values(), this.allowance, now), now);
  }

  private update(key: string, decide: (saved: SavedFaults) => FaultDecision, now: Date): void {
    const decision = decide({ fault: this.faults.get(key), allowance: this.allowance });
    if (decision.fault !== undefined) this.faults.set(key, decision.fault);
    this.post(decision, now);
  }

  private post({ allowance, alerts }: FaultDecision, now: Date): void {
    this.allowance = allowance;
    for (const alert of alerts) this.receivers.post(createFaultEvent(alert, now));
  }
}
