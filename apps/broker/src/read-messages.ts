import type { BusMessage, Gap } from '@ssb/bus';
import { type Did, identityOf } from '@ssb/identity';
import { refusalError } from './bus-error.js';
import { messageId } from './domain/message-id.js';
import type { Fqcn } from './domain/names.js';
import type { Directory } from './directory.js';
import { logChannel } from './ports/log-channel.js';
import type { LogEntry, MessageLog } from './ports/message-log.js';

export interface ReadRequest {
  readonly fqcn: string;
  readonly amount: number;
  /** From this moment on, moving nothing; undefined: what this client has not had yet. */
  readonly from: Date | undefined;
  readonly clientId: string;
}

export interface ReadAnswer {
  readonly messages: readonly BusMessage[];
  /** Retention took messages before this client had them, by their ids. Told until a later message is read. */
  readonly gap?: Gap;
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
  async read(caller: Did, { fqcn, amount, from, clientId }: ReadRequest): Promise<ReadAnswer> {
    const admission = await this.directory.admit(caller, 'subscribe', fqcn);
    if (!admission.ok) throw refusalError(admission.refusal);
    const channel = logChannel(admission.channel);
    const page = { limit: amount, bytes: PAGE_BYTES };
    if (from) {
      const { entries } = await this.messages.readFrom(channel, from, page);
      return { messages: busMessages(channel.fqcn, entries) };
    }

    const reader = { address: identityOf(caller), clientId };
    const position = await this.messages.position(channel, reader);
    const { entries, gap } = await this.messages.readAfter(channel, position, page);
    const last = entries.at(-1);
    if (last) await this.messages.movePosition(channel, reader, last.position);
    return {
      messages: busMessages(channel.fqcn, entries),
      ...(gap && {
        gap: { after: messageId(channel.fqcn, gap.after), upTo: messageId(channel.fqcn, gap.upTo) },
      }),
    };
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
