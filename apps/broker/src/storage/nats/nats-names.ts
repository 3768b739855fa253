import { createHash } from 'node:crypto';
import { lowerCaseAddress } from '@ssb/identity';
import { isFqcn, type Fqcn } from '../../channels/names.js';
import type { LogChannel, Reader } from '../message-log.js';

/** Distinguishes successive channels with the same name. */
export type ChannelIdentity = Pick<LogChannel, 'fqcn' | 'createdAt'>;

/** A ChannelIdentity as text: `<createdAt>.<fqcn>`. */
export type ChannelKey = string & { readonly __brand: 'ChannelKey' };

export function toChannelKey({ fqcn, createdAt }: ChannelIdentity): ChannelKey {
  return `${createdAt}.${fqcn}` as ChannelKey;
}

const CHANNEL_KEY = /^(\d+)\.(.+)$/;

/** Undefined for any other text. */
export function parseChannelKey(text: string): ChannelIdentity | undefined {
  const [, createdAt, fqcn = ''] = CHANNEL_KEY.exec(text) ?? [];
  return isFqcn(fqcn) ? { fqcn, createdAt: Number(createdAt) } : undefined;
}

/** Names of the broker's streams and subjects. A stream name cannot contain dots, so it contains a digest of the channel. */
export class NatsNames {
  /** Written to check that JetStream accepts writes. */
  readonly writeProbeStream = `${this.prefix}-write-probe`;
  readonly writeProbeSubject = `${this.prefix}.write-probe`;

  constructor(private readonly prefix: string) {}

  logStream(channel: ChannelIdentity): string {
    return `${this.prefix}-log-${digest(toChannelKey(channel))}`;
  }

  offsetStream(channel: ChannelIdentity): string {
    return `${this.prefix}-positions-${digest(toChannelKey(channel))}`;
  }

  messageSubject(channel: ChannelIdentity): string {
    return `${this.prefix}.log.${toChannelKey(channel)}`;
  }

  /** Matches the messages of every channel that has or had the name. */
  messageSubjectsOfName(fqcn: Fqcn): string {
    return `${this.prefix}.log.*.${fqcn}`;
  }

  /** The channel of a message subject. */
  parseMessageSubject(subject: string): ChannelIdentity | undefined {
    return parseChannelKey(subject.slice(`${this.prefix}.log.`.length));
  }

  allOffsetSubjects(channel: ChannelIdentity): string {
    return `${this.prefix}.positions.${digest(toChannelKey(channel))}.*`;
  }

  /** Hashed, because a client's text can be too long or invalid for a subject. */
  offsetSubject(channel: ChannelIdentity, { address, clientId }: Reader): string {
    const reader = digest(JSON.stringify([address, clientId]));
    return `${this.prefix}.positions.${digest(toChannelKey(channel))}.${reader}`;
  }

  /** JetStream publishes here after it has stored a message. */
  appendedSubject(key: ChannelKey | '>'): string {
    return `${this.prefix}.appended.${key}`;
  }

  /** `Nats-Msg-Id` of a sender's correlation id; the address is compared without case. */
  duplicateId(sender: string, correlationId: string): string {
    return digest(JSON.stringify([lowerCaseAddress(sender), correlationId]));
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 32);
}
