import { Gather } from '../intake/gather.js';
import type { AlertOutbox, Settlement } from '../storage/outbox.port.js';
import { untilStored } from '../storage/until-stored.js';

interface Waiting {
  readonly settlement: Settlement;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export type StorageFailure = (error: unknown, attempt: number, waitMs: number) => void;

const GROUP_LIMIT = 256;

/** Writes what became of attempts to the outbox; attempts that end while a write runs share the next one. */
export class Settler {
  private readonly gather: Gather<Waiting>;

  constructor(outbox: AlertOutbox, signal: AbortSignal, onFailure: StorageFailure) {
    this.gather = new Gather(async (group) => {
      try {
        await untilStored(() => outbox.settle(group.map(({ settlement }) => settlement)), signal, onFailure);
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }, GROUP_LIMIT);
  }

  /**
   * Resolves once the settlement is durable.
   * @throws StoppedBeforeStoredError
   */
  settle(settlement: Settlement): Promise<void> {
    return new Promise((resolve, reject) => this.gather.add([{ settlement, resolve, reject }]));
  }
}
