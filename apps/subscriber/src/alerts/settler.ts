import { Gather } from '../intake/gather.js';
import type { AlertOutbox, Settlement } from '../storage/outbox.port.js';
import { StoppedBeforeStoredError, untilStored } from '../storage/until-stored.js';

interface Waiting {
  readonly settlement: Settlement;
  readonly done: () => void;
}

export type StorageFailure = (error: unknown, attempt: number, waitMs: number) => void;

const GROUP_LIMIT = 256;

/** Writes what became of attempts to the outbox; attempts that end while a write runs share the next one. */
export class Settler {
  private readonly gather: Gather<Waiting>;

  constructor(
    private readonly outbox: AlertOutbox,
    private readonly signal: AbortSignal,
    private readonly onFailure: StorageFailure,
  ) {
    this.gather = new Gather((group) => this.write(group), GROUP_LIMIT);
  }

  /** Resolves once the settlement is durable, or once the subscriber stops while the database is away: the attempt is then repeated. */
  settle(settlement: Settlement): Promise<void> {
    return new Promise((done) => this.gather.add([{ settlement, done }]));
  }

  private async write(group: readonly Waiting[]): Promise<void> {
    const settlements = group.map(({ settlement }) => settlement);
    try {
      await untilStored(() => this.outbox.settle(settlements), this.signal, this.onFailure);
    } catch (error) {
      if (!(error instanceof StoppedBeforeStoredError)) throw error;
    }
    for (const { done } of group) done();
  }
}
