import type { MarketInterface } from '@ssb/events';
import type { DetectionSettings } from '@ssb/operator-config';
import {
  detectMarketAccess,
  formatMarketAccessState,
  parseMarketAccessState,
  type PollOutcome,
} from '../detection/market-access.js';
import type { FencingToken } from '../lease/lease.js';
import { accessPart, type PollerStateStore } from '../state/poller-state.js';
import type { DetectionRecorder } from './record-detection.js';

export interface AccessRecorderDependencies {
  readonly participant: string;
  readonly settings: () => DetectionSettings;
  readonly now: () => Date;
  readonly state: PollerStateStore;
  readonly recorder: DetectionRecorder;
}

/** Records whether the operator can be reached. */
export class AccessRecorder {
  constructor(private readonly dependencies: AccessRecorderDependencies) {}

  /** @throws FencedOffError */
  async record(token: FencingToken, name: MarketInterface, outcome: PollOutcome): Promise<void> {
    const { participant, settings, now, state, recorder } = this.dependencies;
    const part = accessPart(name);
    const requestedAt = new Date();
    const stored = await state.readAccess(token, name);
    const savedState = (await recorder.completePending(token, stored)).get(part);
    const previous = savedState === undefined ? undefined : parseMarketAccessState(savedState);
    if (savedState !== undefined && previous === undefined) recorder.reportUnusableState(part);
    const detected = detectMarketAccess(previous, name, outcome, {
      participant,
      settings: settings(),
      now: now(),
    });
    const saved = formatMarketAccessState(detected.state);
    await recorder.record(token, {
      part,
      facts: detected.facts,
      state: saved,
      savedState: stored.altered.has(part) ? undefined : savedState,
      requestedAt,
    });
  }
}
