import type { MarketInterface } from '@ssb/events';
import type { DetectionSettings } from '@ssb/config';
import {
  detectMarketAccess,
  formatMarketAccessState,
  parseMarketAccessState,
  type PollOutcome,
} from '../detection/market-access.js';
import type { FencingToken } from '../state/poller-keys.js';
import type { PollerStateStore } from '../state/poller-state-store.js';
import { accessPart, TermMemory } from '../state/saved-state.js';
import type { DetectionRecorder } from './detection-recorder.js';
import type { UnreadableLog } from './unreadable-log.js';

export interface AccessRecorderDependencies {
  readonly participant: string;
  readonly settings: () => DetectionSettings;
  readonly now: () => Date;
  readonly state: PollerStateStore;
  readonly recorder: DetectionRecorder;
  readonly unreadableLog: UnreadableLog;
}

interface SavedAccess {
  /** The connection that it was read from. */
  readonly server: number;
  readonly text: string | undefined;
  /** Whether another client changed it. */
  readonly isAltered: boolean;
}

/** Records whether the operator can be reached. */
export class AccessRecorder {
  private readonly memories: Readonly<Record<MarketInterface, TermMemory<SavedAccess>>>;

  constructor(private readonly dependencies: AccessRecorderDependencies) {
    const { currentServer } = dependencies.state;
    this.memories = { prudential: new TermMemory(currentServer), settlement: new TermMemory(currentServer) };
  }

  /** During an outage Redis is read only when this term has not read it. @throws FencedOffError */
  async record(token: FencingToken, name: MarketInterface, outcome: PollOutcome): Promise<void> {
    const { participant, settings, now, recorder, unreadableLog } = this.dependencies;
    const memory = this.memories[name];
    const part = accessPart(name);
    const requestedAt = new Date();
    const known = outcome.ok ? undefined : memory.get(token);
    const { server, text, isAltered } = known ?? (await this.read(token, name));
    const previous = text === undefined ? undefined : parseMarketAccessState(text);
    if (text !== undefined && previous === undefined) unreadableLog.recordState(part);
    const detected = detectMarketAccess(previous, name, outcome, {
      participant,
      settings: settings(),
      now: now(),
    });
    const saved = formatMarketAccessState(detected.state);
    // After a failure Redis may have a pending detection.
    memory.forget();
    await recorder.record(token, {
      part,
      facts: detected.facts,
      state: saved,
      savedState: isAltered ? undefined : text,
      requestedAt,
    });
    memory.set(token, server, { server, text: saved, isAltered: false });
  }

  private async read(token: FencingToken, name: MarketInterface): Promise<SavedAccess> {
    const { state, recorder } = this.dependencies;
    const part = accessPart(name);
    const server = state.currentServer();
    const stored = await state.readPart(token, part);
    const text = (await recorder.completePending(token, stored)).get(part);
    return { server, text, isAltered: stored.altered.has(part) };
  }
}
