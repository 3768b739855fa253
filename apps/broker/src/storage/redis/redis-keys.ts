import { hash } from 'node:crypto';
import type { LogChannel } from '../message-log.js';

/** Names of the broker's Redis keys. A channel's keys share a hash tag, so that one script can use them in a cluster. */
export class RedisKeys {
  readonly channels = `${this.prefix}{channels}:records`;
  readonly channelVersions = `${this.prefix}{channels}:versions`;
  /** Addresses that have a claim or a role, in lexical order. */
  readonly roleHolders = `${this.prefix}{roles}:holders`;
  /** Undecided claims, by the time of the last request. */
  readonly openClaims = `${this.prefix}{roles}:open`;
  /** Written to check that Redis accepts writes. */
  readonly writeProbe = `${this.prefix}write-probe`;
  /** Pub/sub topic for appended messages. The payload is the channel's name. */
  readonly appended = `${this.prefix}appended`;
  /** Pub/sub topic for changed channels, roles and sessions. The payload is a `Change`. */
  readonly changed = `${this.prefix}changed`;

  constructor(private readonly prefix: string) {}

  log(channel: LogChannel): string {
    return this.channelKey(channel, 'log');
  }

  /** The id of the last entry that was appended to the log, even if it was removed. */
  newest(channel: LogChannel): string {
    return this.channelKey(channel, 'newest');
  }

  offsets(channel: LogChannel): string {
    return this.channelKey(channel, 'positions');
  }

  /** Marks one correlation id of one sender as sent. Hashed, because a client's text can make a long or ambiguous key. */
  sent(channel: LogChannel, sender: string, correlationId: string): string {
    const digest = hash('sha256', JSON.stringify([sender, correlationId]), 'base64url');
    return this.channelKey(channel, `sent:${digest}`);
  }

  roles(address: string): string {
    return `${this.prefix}{roles}:of:${address}`;
  }

  /** Hashed, because a client id is a client's text. */
  session(session: string): string {
    return `${this.prefix}session:${hash('sha256', session, 'base64url')}`;
  }

  /** Hashed, because a client id is a client's text. */
  readerStart(address: string, clientId: string): string {
    return `${this.prefix}{start:${address}}:of:${hash('sha256', clientId, 'base64url')}`;
  }

  /** The readers of an identity that have a start. */
  readerStarts(address: string): string {
    return `${this.prefix}{start:${address}}:readers`;
  }

  usedToken(purpose: string, id: string): string {
    return `${this.prefix}used:${purpose}:${hash('sha256', id, 'base64url')}`;
  }

  private channelKey({ fqcn, createdAt }: LogChannel, suffix: string): string {
    return `${this.prefix}{${fqcn}}:${createdAt}:${suffix}`;
  }
}
