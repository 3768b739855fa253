import { hash } from 'node:crypto';
import type { LogChannel } from '../message-log.js';

/** Names of everything the broker keeps in Redis. A channel's keys share a hash tag, so that one script may touch them in a cluster. */
export class Keys {
  readonly channels = `${this.prefix}{channels}:records`;
  readonly channelVersions = `${this.prefix}{channels}:versions`;
  /** Addresses of all who ever asked for a role or were given one, in lexical order. */
  readonly roleHolders = `${this.prefix}{roles}:holders`;
  /** Claims that nobody has decided on, by when they were asked for. */
  readonly openClaims = `${this.prefix}{roles}:open`;
  /** Written to see whether Redis takes anything. */
  readonly signOfLife = `${this.prefix}sign-of-life`;
  /** Pub/sub: a message was appended; carries the channel's name. */
  readonly appended = `${this.prefix}appended`;
  /** Pub/sub: a channel, a role or a session changed; carries a `Change`. */
  readonly changed = `${this.prefix}changed`;

  constructor(private readonly prefix: string) {}

  log(channel: LogChannel): string {
    return this.of(channel, 'log');
  }

  /** The id of the newest entry that the log ever had. */
  newest(channel: LogChannel): string {
    return this.of(channel, 'newest');
  }

  positions(channel: LogChannel): string {
    return this.of(channel, 'positions');
  }

  /** Remembers one correlation id of one sender; hashed, so that a caller's text cannot make a long or ambiguous key. */
  sent(channel: LogChannel, sender: string, correlationId: string): string {
    const digest = hash('sha256', JSON.stringify([sender, correlationId]), 'base64url');
    return this.of(channel, `sent:${digest}`);
  }

  roles(address: string): string {
    return `${this.prefix}{roles}:of:${address}`;
  }

  /** Hashed, since a client id is a caller's text. */
  session(session: string): string {
    return `${this.prefix}session:${hash('sha256', session, 'base64url')}`;
  }

  usedOnce(purpose: string, text: string): string {
    return `${this.prefix}used:${purpose}:${hash('sha256', text, 'base64url')}`;
  }

  private of({ fqcn, made }: LogChannel, what: string): string {
    return `${this.prefix}{${fqcn}}:${made}:${what}`;
  }
}
