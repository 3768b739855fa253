import type { BusMessage } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { refusalError } from './bus-error.js';
import { retentionMs } from './domain/channel.js';
import { messageId } from './domain/message-id.js';
import type { Fqcn } from './domain/names.js';
import { identityOf, type Directory } from './directory.js';
import type { LogEntry, MessageLog } from './ports/message-log.js';

export interface ReadRequest {
  readonly fqcn: string;
  readonly amount: number;
  /** From this moment on, moving nothing; undefined: what this client has not had yet. */
  readonly from: Date | undefined;
  readonly clientId: string;
}

/** Payload bytes in one answer or one frame; a page ends early rather than go far beyond. */
export const PAGE_BYTES = 8_388_608;

/** Reads a channel on request. */
export class ReadMessages {
  constructor(
    private readonly directory: Directory,
    private readonly messages: MessageLog,
  ) {}

  /** @throws BusError when the caller may not read the channel */
  async read(caller: Did, { fqcn, amount, from, clientId }: ReadRequest): Promise<BusMessage[]> {
    const admission = await this.directory.admit(caller, 'subscribe', fqcn);
    if (!admission.ok) throw refusalError(admission.refusal);
    const channel = { fqcn: admission.channel.fqcn, retentionMs: retentionMs(admission.channel) };
    const page = { limit: amount, bytes: PAGE_BYTES };
    if (from) {
      const { entries } = await this.messages.readFrom(channel, from, page);
      return busMessages(channel.fqcn, entries);
    }

    const reader = { address: identityOf(caller), clientId };
    const position = await this.messages.position(channel, reader);
    const { entries } = await this.messages.readAfter(channel, position, page);
    const last = entries.at(-1);
    if (last) await this.messages.movePosition(channel, reader, last.position);
    return busMessages(channel.fqcn, entries);
  }
}

function busMessages(fqcn: Fqcn, entries: readonly LogEntry[]): BusMessage[] {
  return entries.map((entry) => busMessage(fqcn, entry));
}

/** An entry of the log in the broker's wire form. */
export function busMessage(
  fqcn: Fqcn,
  { position, timestampNanos, topic, payload, signature, sender, correlationId }: LogEntry,
): BusMessage {
  return {
    id: messageId(fqcn, position),
    fqcn,
    topic,
    payload,
    signature,
    sender,
    timestampNanos: timestampNanos.toString(),
    ...(correlationId !== undefined && { correlationId }),
  };
}
