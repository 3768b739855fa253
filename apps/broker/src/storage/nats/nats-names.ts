import { createHash } from 'node:crypto';
import { identityOf } from '@ssb/identity';
import { isFqcn, type Fqcn } from '../../channels/names.js';
import type { LogChannel, Reader } from '../message-log.js';

/** What names a channel, apart from others that had its name before. */
export type NamedChannel = Pick<LogChannel, 'fqcn' | 'made'>;

/** The same as a text: `<made>.<fqcn>`. */
export type ChannelKey = string & { readonly __brand: 'ChannelKey' };

export function channelKey({ fqcn, made }: NamedChannel): ChannelKey {
  return `${made}.${fqcn}` as ChannelKey;
}

const CHANNEL_KEY = /^(\d+)\.(.+)$/;

/** What `channelKey` made a text of; undefined when it did not. */
export function partsOfKey(text: string): NamedChannel | undefined {
  const [, made, fqcn = ''] = CHANNEL_KEY.exec(text) ?? [];
  return isFqcn(fqcn) ? { fqcn, made: Number(made) } : undefined;
}

/** Names of everything the broker keeps in JetStream. A stream's name takes no dots, so a channel's streams are named by its digest. */
export class NatsNames {
  /** The stream that is written to see whether JetStream takes anything. */
  readonly signsOfLife = `${this.prefix}-sign-of-life`;
  readonly signOfLife = `${this.prefix}.sign-of-life`;

  constructor(private readonly prefix: string) {}

  /** The stream that holds a channel's messages. */
  log(channel: NamedChannel): string {
    return `${this.prefix}-log-${digest(channelKey(channel))}`;
  }

  /** The stream that holds a channel's positions. */
  positions(channel: NamedChannel): string {
    return `${this.prefix}-positions-${digest(channelKey(channel))}`;
  }

  /** Where a message for the channel is sent. */
  message(channel: NamedChannel): string {
    return `${this.prefix}.log.${channelKey(channel)}`;
  }

  /** Where messages for every channel of the name are sent, those of former ones as well. */
  messagesOfName(fqcn: Fqcn): string {
    return `${this.prefix}.log.*.${fqcn}`;
  }

  /** The channel in a subject that `message` made. */
  channelOf(subject: string): NamedChannel | undefined {
    return partsOfKey(subject.slice(`${this.prefix}.log.`.length));
  }

  allPositions(channel: NamedChannel): string {
    return `${this.prefix}.positions.${digest(channelKey(channel))}.*`;
  }

  /** Where one reader's position is sent; hashed, so that a caller's text cannot make a long or forbidden subject. */
  position(channel: NamedChannel, { address, clientId }: Reader): string {
    return `${this.prefix}.positions.${digest(channelKey(channel))}.${digest(JSON.stringify([address, clientId]))}`;
  }

  /** JetStream tells here what it has stored. */
  appended(key: ChannelKey | '>'): string {
    return `${this.prefix}.appended.${key}`;
  }

  /** `Nats-Msg-Id` of a sender's correlation id. An address is the same in any case. */
  repeatKey(sender: string, correlationId: string): string {
    return digest(JSON.stringify([identityOf(sender), correlationId]));
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 32);
}
