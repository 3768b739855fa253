import type { Message } from '@ssb/bus';

/** Ids of messages by their channel. */
export type IdsByChannel = ReadonlyMap<string, readonly string[]>;

export interface Delivery {
  /** To be sent to the client. */
  readonly toSend: readonly Message[];
  /** Acknowledged by the client before, which did not reach the broker: to be acknowledged again. */
  readonly toAcknowledge: IdsByChannel;
}

/** The broker remembers this many windows of acknowledged messages behind an unacknowledged one, and delivers those again as well. */
const REMEMBERED_WINDOWS = 4;

/**
 * Tracks what one client has not acknowledged, and what it acknowledged lately. On every connection the broker delivers again what has no
 * acknowledgement; one that was made while it was away never reached it.
 */
export class DeliveryTracker {
  /** Unacknowledged: id → channel. The broker's window bounds it. */
  private readonly outstanding = new Map<string, string>();
  /** The same, of earlier connections: the socket or the client may still acknowledge it. */
  private readonly earlier = new Map<string, string>();
  private readonly acknowledged = new Set<string>();

  /**
   * @param window most unacknowledged messages
   * @param reliable unacknowledged messages are sent again; without it the socket holds them already
   */
  constructor(
    private readonly window: number,
    private readonly reliable: boolean,
  ) {}

  /** The broker's delivery begins, for the first time or again. */
  begin(): void {
    for (const [id, fqcn] of this.outstanding) this.earlier.set(id, fqcn);
    this.outstanding.clear();
    dropOldest(this.earlier, this.window);
  }

  deliver(messages: readonly Message[]): Delivery {
    const toSend: Message[] = [];
    const toAcknowledge: [id: string, fqcn: string][] = [];
    for (const message of messages) {
      const { id, fqcn } = message;
      if (this.acknowledged.has(id)) {
        toAcknowledge.push([id, fqcn]);
        continue;
      }
      this.outstanding.set(id, fqcn);
      if (!this.earlier.delete(id) || this.reliable) toSend.push(message);
    }
    return { toSend, toAcknowledge: groupByChannel(toAcknowledge) };
  }

  /** Unknown ids are ignored. @returns what to acknowledge to the broker */
  acknowledge(ids: readonly string[]): IdsByChannel {
    const toAcknowledge: [id: string, fqcn: string][] = [];
    for (const id of ids) {
      const fqcn = this.outstanding.get(id);
      if (fqcn === undefined && !this.earlier.has(id)) continue;
      if (fqcn !== undefined) toAcknowledge.push([id, fqcn]);
      this.outstanding.delete(id);
      this.earlier.delete(id);
      this.acknowledged.add(id);
      dropOldest(this.acknowledged, this.window * REMEMBERED_WINDOWS);
    }
    return groupByChannel(toAcknowledge);
  }
}

function dropOldest(ids: Map<string, unknown> | Set<string>, maxSize: number): void {
  for (const id of ids.keys()) {
    if (ids.size <= maxSize) return;
    ids.delete(id);
  }
}

function groupByChannel(pairs: readonly (readonly [id: string, fqcn: string])[]): IdsByChannel {
  const channels = new Map<string, string[]>();
  for (const [id, fqcn] of pairs) {
    const ids = channels.get(fqcn);
    if (ids) ids.push(id);
    else channels.set(fqcn, [id]);
  }
  return channels;
}
