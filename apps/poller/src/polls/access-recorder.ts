import type { MarketInterface } from '@ssb/events';
import type { DetectionSettings } from '@ssb/config';
import {
  detectMarketAccess,
  formatMarketAccessState,
  parseMarketAccessState,
  type MarketAccessState,
  type PollOutcome,
} from '../detection/market-access.js';
import type { FencingToken } from '../state/poller-keys.js';
import { SavedPart, type SavedPartDependencies } from '../state/saved-part.js';
import { accessPart } from '../state/saved-state.js';

export interface AccessRecorderDependencies extends SavedPartDependencies {
  readonly participant: string;
  readonly settings: () => DetectionSettings;
  readonly now: () => Date;
}

/** Records whether the operator can be reached. */
export class AccessRecorder {
  private readonly saved: Readonly<Record<MarketInterface, SavedPart<MarketAccessState>>>;

  constructor(private readonly dependencies: AccessRecorderDependencies) {
    const savedOf = (name: MarketInterface): SavedPart<MarketAccessState> =>
      new SavedPart(accessPart(name), parseMarketAccessState, dependencies);
    this.saved = { prudential: savedOf('prudential'), settlement: savedOf('settlement') };
  }

  /** During an outage Redis is read only when this term has not read it. @throws FencedOffError */
  async record(token: FencingToken, name: MarketInterface, outcome: PollOutcome): Promise<void> {
    const { participant, settings, now } = this.dependencies;
    const part = this.saved[name];
    const requestedAt = new Date();
    const saved = await (outcome.ok ? part.completeAndRead(token) : part.knownOrRead(token));
    const { facts, state } = detectMarketAccess(saved.state, name, outcome, {
      participant,
      settings: settings(),
      now: now(),
    });
    await part.record(token, saved, { facts, state, text: formatMarketAccessState(state), requestedAt });
  }
}
