import type { BusMessage } from '@ssb/bus';

/** Ids of messages by their channel. */
export type IdsByChannel = ReadonlyMap<string, readonly string[]>;

export interface Delivery {
  /** To be put on the client's socket. */
  readonly shown: readonly BusMessage[];
  /** Acknowledged by the client before: the broker did not hear it, and is told again. */
  readonly had: IdsByChannel;
}

/** The broker remembers so many windows of messages that were acknowledged behind one that is not, and delivers those again as well. */
const REMEMBERED_WINDOWS = 4;

/**
 * What one client has in hand. The broker delivers anew on every connection what it has no acknowledgement of; one that was made while it
 * was away never reached it. So the last acknowledged ids are kept, as many as it can deliver again.
 */
export class EventsInHand {
  /** On its way to the client or with it, unacknowledged: id → channel. The broker's window bounds it. */
  private readonly outstanding = new Map<string, string>();
  /** The same, of connections before: the socket or the client may still acknowledge it. */
  private readonly earlier = new Map<string, string>();
  private readonly acknowledged = new Set<string>();

  /**
   * @param window most messages that are in hand at once
   * @param reliable what the client did not acknowledge is shown again; otherwise the socket has it and will take it or end
   */
  constructor(
    private readonly window: number,
    private readonly reliable: boolean,
  ) {}

  /** The broker's delivery begins, or begins anew. */
  begin(): void {
    for (const [id, fqcn] of this.outstanding) this.earlier.set(id, fqcn);
    this.outstanding.clear();
    dropOldest(this.earlier, this.window);
  }

  deliver(messages: readonly BusMessage[]): Delivery {
    const shown: BusMessage[] = [];
    const had: [id: string, fqcn: string][] = [];
    for (const message of messages) {
      const { id, fqcn } = message;
      if (this.acknowledged.has(id)) {
        had.push([id, fqcn]);
        continue;
      }
      this.outstanding.set(id, fqcn);
      if (!this.earlier.delete(id) || this.reliable) shown.push(message);
    }
    return { shown, had: byChannel(had) };
  }

  /** @returns what the broker is to be told; ids that are not in hand are passed over */
  acknowledge(ids: readonly string[]): IdsByChannel {
    const done: [id: string, fqcn: string][] = [];
    for (const id of ids) {
      const fqcn = this.outstanding.get(id);
      if (fqcn === undefined && !this.earlier.has(id)) continue;
      if (fqcn !== undefined) done.push([id, fqcn]);
      this.outstanding.delete(id);
      this.earlier.delete(id);
      this.remember(id);
    }
    return byChannel(done);
  }

  private remember(id: string): void {
    this.acknowledged.add(id);
    dropOldest(this.acknowledged, this.window * REMEMBERED_WINDOWS);
  }
}

function dropOldest(ids: Map<string, unknown> | Set<string>, most: number): void {
  for (const id of ids.keys()) {
    if (ids.size <= most) return;
    ids.delete(id);
  }
}

function byChannel(pairs: readonly (readonly [id: string, fqcn: string])[]): IdsByChannel {
  const channels = new Map<string, string[]>();
  for (const [id, fqcn] of pairs) {
    const ids = channels.get(fqcn);
    if (ids) ids.push(id);
    else channels.set(fqcn, [id]);
  }
  return channels;
}
