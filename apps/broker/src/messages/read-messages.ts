import { Inject, Injectable } from '@nestjs/common';
import type { BusMessage, Gap, ReadAcknowledgement } from '@ssb/bus';
import { type Did, identityOf } from '@ssb/identity';
import { BusError, refusalError } from '../errors/bus-error.js';
import { messageId, positionIn } from './bus-message.js';
import type { Fqcn } from '../channels/names.js';
import { Directory } from '../permissions/permission.service.js';
import { logChannel } from '../channels/channel.js';
import { MESSAGE_LOG, type LogChannel, type LogEntry, type MessageLog } from '../storage/message-log.js';

export interface ReadRequest {
  readonly fqcn: string;
  readonly amount: number;
  /** From this moment on, moving nothing; undefined: what this client has not had yet. */
  readonly from: Date | undefined;
  readonly clientId: string;
  /** Whether this counts as had what is read. False: reading again gives it again, until it is acknowledged. */
  readonly move: boolean;
}

export interface ReadAnswer {
  readonly messages: readonly BusMessage[];
  /** The answer ended by its bounds, and there are further messages. */
  readonly more: boolean;
  /** Retention took messages before this client had them, by their ids. Told until a later message is read. */
  readonly gap?: Gap;
}

/** Payload bytes in one answer or one frame; a page ends early rather than go far beyond. */
export const PAGE_BYTES = 8_388_608;

/** Reads a channel on request. */
@Injectable()
export class ReadMessages {
  constructor(
    private readonly directory: Directory,
    @Inject(MESSAGE_LOG) private readonly messages: MessageLog,
  ) {}

  /** @throws BusError when the caller may not read the channel */
  async read(caller: Did, { fqcn, amount, from, clientId, move }: ReadRequest): Promise<ReadAnswer> {
    const channel = await this.admitted(caller, fqcn);
    const page = { limit: amount, bytes: PAGE_BYTES };
    if (from) {
      const { entries, more } = await this.messages.readFrom(channel, from, page);
      return { messages: busMessages(channel.fqcn, entries), more };
    }

    const reader = { address: identityOf(caller), clientId };
    const position = await this.messages.position(channel, reader);
    const { entries, more, gap } = await this.messages.readAfter(channel, position, page);
    const last = entries.at(-1);
    if (last && move) await this.messages.movePosition(channel, reader, last.position);
    return {
      messages: busMessages(channel.fqcn, entries),
      more,
      ...(gap && {
        gap: { after: messageId(channel.fqcn, gap.after), upTo: messageId(channel.fqcn, gap.upTo) },
      }),
    };
  }

  /**
   * Counts as had what was read without moving. A repeat, or one that comes after a later one, changes nothing.
   * @throws BusError when the caller may not read the channel, or when the id is none of its messages
   */
  async acknowledge(caller: Did, { fqcn, clientId, upTo }: Required<ReadAcknowledgement>): Promise<void> {
    const channel = await this.admitted(caller, fqcn);
    const position = positionIn(channel.fqcn, upTo);
    if (position === undefined) {
      throw new BusError('BUS::INVALID_REQUEST', 'upTo is not the id of a message of this channel.');
    }
    await this.messages.movePosition(channel, { address: identityOf(caller), clientId }, position);
  }

  private async admitted(caller: Did, fqcn: string): Promise<LogChannel> {
    const admission = await this.directory.admit(caller, 'subscribe', fqcn);
    if (!admission.ok) throw refusalError(admission.refusal);
    return logChannel(admission.channel);
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
