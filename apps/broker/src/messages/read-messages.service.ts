import { Inject, Injectable } from '@nestjs/common';
import type { BusMessage, Gap, ReadAcknowledgement } from '@ssb/bus';
import { type Did, lowerCaseAddress } from '@ssb/identity';
import { toLogChannel } from '../channels/channel.js';
import { BusError } from '../errors/bus-error.js';
import { refusalError } from '../errors/refusal.js';
import { PermissionService } from '../permissions/permission.service.js';
import { MESSAGE_LOG, type LogChannel, type MessageLog } from '../storage/message-log.js';
import { parseMessageId, toBusGap, toBusMessage } from './bus-message.js';

export interface ReadRequest {
  readonly fqcn: string;
  readonly amount: number;
  /** Read from this instant and move no offset; undefined: from the client's offset. */
  readonly from: Date | undefined;
  readonly clientId: string;
  /** Whether to move the offset. False: the same messages are read again until they are acknowledged. */
  readonly move: boolean;
}

export interface ReadPage {
  readonly messages: readonly BusMessage[];
  /** A limit ended the page, and there are further messages. */
  readonly more: boolean;
  /** Retention removed messages before this client read them. Reported until a later message is read. */
  readonly gap?: Gap;
}

/** Maximum payload bytes of a response or a frame; a single larger message is still sent. */
export const MAX_PAGE_BYTES = 8_388_608;

/** Reads a channel over HTTP. */
@Injectable()
export class ReadMessagesService {
  constructor(
    private readonly permissions: PermissionService,
    @Inject(MESSAGE_LOG) private readonly messageLog: MessageLog,
  ) {}

  /** @throws BusError when the caller may not read the channel */
  async read(caller: Did, { fqcn, amount, from, clientId, move }: ReadRequest): Promise<ReadPage> {
    const channel = await this.authorize(caller, fqcn);
    const limits = { maxEntries: amount, maxBytes: MAX_PAGE_BYTES };
    if (from) {
      const { entries, more } = await this.messageLog.readFrom(channel, from, limits);
      return { messages: entries.map((entry) => toBusMessage(channel.fqcn, entry)), more };
    }

    const reader = { address: lowerCaseAddress(caller), clientId };
    const offset = await this.messageLog.getOffset(channel, reader);
    const { entries, more, gap } = await this.messageLog.readAfter(channel, offset, limits);
    const last = entries.at(-1);
    if (last && move) await this.messageLog.moveOffset(channel, reader, last.offset);
    return {
      messages: entries.map((entry) => toBusMessage(channel.fqcn, entry)),
      more,
      ...(gap && { gap: toBusGap(channel.fqcn, gap) }),
    };
  }

  /**
   * Acknowledges messages that were read without moving the offset. A repeated or older acknowledgement changes nothing.
   * @throws BusError when the caller may not read the channel, or the id is not a message of it
   */
  async acknowledge(caller: Did, { fqcn, clientId, upTo }: Required<ReadAcknowledgement>): Promise<void> {
    const channel = await this.authorize(caller, fqcn);
    const offset = parseMessageId(channel.fqcn, upTo);
    if (offset === undefined) {
      throw new BusError('BUS::INVALID_REQUEST', 'upTo is not the id of a message of this channel.');
    }
    await this.messageLog.moveOffset(channel, { address: lowerCaseAddress(caller), clientId }, offset);
  }

  private async authorize(caller: Did, fqcn: string): Promise<LogChannel> {
    const authorization = await this.permissions.authorize(caller, 'subscribe', fqcn);
    if (!authorization.ok) throw refusalError(authorization.refusal);
    return toLogChannel(authorization.channel);
  }
}
