import type { DeliveredMessage } from '../broker/to-message.js';

/** Message ids by channel. */
export type IdsByChannel = ReadonlyMap<string, readonly string[]>;

export interface Delivery {
  /** Messages to send to the client. */
  readonly toSend: readonly DeliveredMessage[];
  /** The client acknowledged these before, but the broker did not receive that: acknowledge them again. */
  readonly toAcknowledge: IdsByChannel;
}

/** After a reconnect the broker repeats at most this many windows of acknowledged messages that follow an unacknowledged one. */
const MAX_ACKNOWLEDGED_WINDOWS = 4;

/**
 * Tracks which messages one client has not acknowledged, and which it acknowledged recently.
 * After a reconnect the broker repeats messages whose acknowledgement was lost.
 */
export class ClientDeliveries {
  /** Channels of the unacknowledged messages by id. The broker's window bounds the size. */
  private readonly outstanding = new Map<string, string>();
  /** Unacknowledged messages of earlier connections, which the client or the socket may still acknowledge. */
  private readonly earlier = new Map<string, string>();
  private readonly acknowledged = new Set<string>();

  /**
   * @param window maximum number of unacknowledged messages
   * @param explicitAck whether unacknowledged messages are sent again; otherwise the socket already has them
   */
  constructor(
    private readonly window: number,
    private readonly explicitAck: boolean,
  ) {}

  /** Called when the broker starts or restarts its delivery. */
  begin(): void {
    for (const [id, fqcn] of this.outstanding) this.earlier.set(id, fqcn);
    this.outstanding.clear();
    dropOldest(this.earlier, this.window);
  }

  /** Records messages from the broker. */
  track(messages: readonly DeliveredMessage[]): Delivery {
    const toSend: DeliveredMessage[] = [];
    const toAcknowledge: [id: string, fqcn: string][] = [];
    for (const message of messages) {
      const { id, fqcn } = message;
      if (this.acknowledged.has(id)) {
        toAcknowledge.push([id, fqcn]);
        continue;
      }
      this.outstanding.set(id, fqcn);
      if (!this.earlier.delete(id) || this.explicitAck) toSend.push(message);
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
      dropOldest(this.acknowledged, this.window * MAX_ACKNOWLEDGED_WINDOWS);
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
