import type { Fact } from '@ssb/events';
import type { DetectionRecorder } from '../polls/detection-recorder.js';
import type { UnreadableLog } from '../polls/unreadable-log.js';
import type { FencingToken } from './poller-keys.js';
import type { PollerStateStore } from './poller-state-store.js';
import { TermMemory } from './saved-state.js';

export interface SavedPartDependencies {
  readonly store: Pick<PollerStateStore, 'currentServer' | 'readPart'>;
  readonly recorder: Pick<DetectionRecorder, 'record' | 'completePending'>;
  readonly unreadableLog: Pick<UnreadableLog, 'recordState'>;
}

/** The state of a part, as it was read. */
export interface SavedValue<State> {
  /** The connection that it was read from. */
  readonly server: number;
  /** Undefined when nothing usable is saved. */
  readonly state: State | undefined;
  readonly text: string | undefined;
  /** Whether another client changed it. */
  readonly isAltered: boolean;
}

/** What follows from a detection. */
export interface NextValue<State> {
  readonly facts: readonly Fact[];
  readonly state: State;
  /** The state as it is saved. */
  readonly text: string;
  /** When the response was requested, by the local clock. */
  readonly requestedAt: Date;
}

/** A part of the saved state, which is kept in memory within one term of the lease and one connection. */
export class SavedPart<State> {
  private readonly memory: TermMemory<SavedValue<State>>;

  constructor(
    private readonly part: string,
    private readonly parse: (text: string) => State | undefined,
    private readonly dependencies: SavedPartDependencies,
  ) {
    this.memory = new TermMemory(dependencies.store.currentServer);
  }

  /** Queues the events of an interrupted detection, then reads the state after it. @throws FencedOffError */
  async completeAndRead(token: FencingToken): Promise<SavedValue<State>> {
    const { store, recorder, unreadableLog } = this.dependencies;
    const known = this.memory.get(token);
    const server = store.currentServer();
    const stored = await store.readPart(token, this.part);
    const text = (await recorder.completePending(token, stored)).get(this.part);
    const isKnown = known !== undefined && known.text === text;
    const parsed = isKnown ? known.state : text === undefined ? undefined : this.parse(text);
    if (text !== undefined && parsed === undefined) unreadableLog.recordState(this.part);
    const saved = { server, state: parsed, text, isAltered: stored.altered.has(this.part) };
    this.memory.set(token, server, saved);
    return saved;
  }

  /** Returns what this term of the lease knows, or reads it. @throws FencedOffError */
  async knownOrRead(token: FencingToken): Promise<SavedValue<State>> {
    return this.memory.get(token) ?? (await this.completeAndRead(token));
  }

  /** Records facts, and the state after them. @throws FencedOffError */
  async record(
    token: FencingToken,
    { server, state: before, text: savedText, isAltered }: SavedValue<State>,
    { facts, state, text, requestedAt }: NextValue<State>,
  ): Promise<void> {
    // After a failure Redis may have a pending detection.
    this.memory.forget();
    await this.dependencies.recorder.record(token, {
      part: this.part,
      facts,
      text,
      savedText: isAltered ? undefined : savedText,
      requestedAt,
    });
    const recorded = text === savedText ? (before ?? state) : state;
    this.memory.set(token, server, { server, state: recorded, text, isAltered: false });
  }
}
