import type { FencingToken } from '../state/poller-keys.js';
import type { PollerStateStore } from '../state/poller-state-store.js';
import type { DetectionRecorder } from './detection-recorder.js';
import type { UnreadableLog } from './unreadable-log.js';
import { SavedSettlement } from './saved-settlement.js';
import { TermMemory } from '../state/saved-state.js';

/** How often the memory is compared with Redis. */
const COMPARE_INTERVAL_MS = 60_000;

interface Memory {
  readonly server: number;
  readonly saved: SavedSettlement;
  comparedAt: number;
}

export interface SettlementMemoryDependencies {
  readonly store: Pick<PollerStateStore, 'currentServer' | 'readSettlement' | 'savePart'>;
  readonly recorder: Pick<DetectionRecorder, 'completePending'>;
  readonly unreadableLog: Pick<UnreadableLog, 'recordState'>;
  /** Called when nothing is known about earlier requests. */
  readonly onForget: () => void;
}

/** The saved state of settlement, kept in memory within one term of the lease, because only the leader writes it. */
export class SettlementMemory {
  private readonly memory: TermMemory<Memory>;

  constructor(private readonly dependencies: SettlementMemoryDependencies) {
    this.memory = new TermMemory(dependencies.store.currentServer);
  }

  /** Completes interrupted detections first when it reads Redis. @throws FencedOffError */
  async read(token: FencingToken): Promise<SavedSettlement> {
    const { store, onForget } = this.dependencies;
    const server = store.currentServer();
    const memory = this.memory.get(token);
    if (memory === undefined) {
      onForget();
      return this.load(token, server);
    }
    if (memory.saved.isStale) return this.load(token, server);
    await this.compareWithRedis(token, memory);
    return memory.saved;
  }

  private async load(token: FencingToken, server: number): Promise<SavedSettlement> {
    const { store, recorder, unreadableLog } = this.dependencies;
    const texts = await recorder.completePending(token, await store.readSettlement(token));
    const saved = new SavedSettlement(texts, (part) => unreadableLog.recordState(part));
    this.memory.set(token, server, { server, saved, comparedAt: performance.now() });
    return saved;
  }

  /** Restores what another client changed. The reading also authenticates the texts with a new integrity key. */
  private async compareWithRedis(token: FencingToken, memory: Memory): Promise<void> {
    if (performance.now() - memory.comparedAt < COMPARE_INTERVAL_MS) return;
    const { server, saved } = memory;
    const { store } = this.dependencies;
    const { parts } = await store.readSettlement(token);
    for (const [part, text] of saved.entries()) {
      if (store.currentServer() !== server) return;
      if (parts.get(part) !== text) await store.savePart(token, part, text);
    }
    memory.comparedAt = performance.now();
  }
}
