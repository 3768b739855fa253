import { type SignedEvent } from '@ssb/events';
import type { Curve } from '@ssb/identity';
import { isHttpAddress } from '@ssb/net';
import type { MissedMessages, Message } from '@ssb/bus';
import type { RejectionReason } from '../verify/rejection.js';
import type { Trust } from '../verify/trust.js';
import { InvalidOptionError } from './consumer-errors.js';
import type { EventStore } from './event-store.js';

export interface ConsumerOptions {
  /** Address of the gateway without `/events`: `https://`, or `http://` on this machine. */
  readonly url: string;
  readonly user: string;
  /** A function is called for each connection, so that the password can be rotated. */
  readonly password: string | (() => string);
  /** Name under which the bus keeps what this consumer has received. Each consumer needs its own. Not used with plain delivery. */
  readonly clientId: string;
  /**
   * Who is trusted on which channel. There is no default. A function is called for each message, so that the trust file can be replaced:
   * `() => Trust.fromFile('trust.json')`. When it throws, the message is kept and tried again. Channels are read once.
   */
  readonly trust: Trust | (() => Trust);
  /** Recognises repeats. The consumer opens and closes it. */
  readonly store: EventStore;
  /**
   * Where a new `clientId` begins: with the oldest message that is kept, with what is sent from now on, or at a time. A known one continues
   * where it was. Default `oldest`. Not with plain delivery.
   */
  readonly from?: 'now' | 'oldest' | Date;
  /** Fully qualified names. Default: those of the trust file that have a trusted gateway. */
  readonly channels?: readonly string[];
  /**
   * `acknowledged` (the default): each message is delivered until it was handled. `plain`: what is sent during an interruption is lost;
   * for gateways without acknowledgement.
   */
  readonly delivery?: 'acknowledged' | 'plain';
  /**
   * Of types that announce a state, leave out an event that is older than one of the same subject, and report it as `outdated`. Urgent
   * types, such as `margin.breached`, are never left out. Default false.
   */
  readonly newestPerSubject?: boolean;
  /** Maximum number of messages that are received and not yet acknowledged. Default 100. */
  readonly window?: number;
  /** Attempts to process a message before `run` rejects. Default 10, within two minutes. `Infinity` retries until `stop`. */
  readonly maxAttempts?: number;
  /** Longest delay between attempts to process or to connect, milliseconds. Default 30 s. */
  readonly maxDelayMs?: number;
  /** Authorities of the gateway's certificate, PEM. Default: those of Node. */
  readonly ca?: string | Uint8Array;
  /** Client certificate and its key, PEM. */
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
  /** Replaces the default implementation of secp256k1: the native one verifies some 40 times faster. */
  readonly curve?: Curve;
  /** Sub-protocol of the gateway. Default `dsb-messages`. */
  readonly protocol?: string;
  /** Once aborted, the consumer stops as after `stop`. */
  readonly signal?: AbortSignal;
}

/** How an event arrived. */
export interface EventContext {
  /** DID of the bridge that signed the event. */
  readonly origin: string;
  readonly message: Message;
  /** From 1. */
  readonly attempt: number;
}

/**
 * A message that failed a check. It is acknowledged afterwards, and is then lost for this consumer. A listener that throws keeps it: the
 * message is verified again after a delay, and `run` rejects after the last attempt.
 */
export interface RefusedMessage {
  readonly message: Message;
  /** `replayed`: its id is not held any more, and its subject has a later event. */
  readonly reason: RejectionReason | 'replayed';
  /** A sentence for a log, without the payload. */
  readonly detail: string;
}

/** An event that `newestPerSubject` left out. It is saved and acknowledged afterwards. */
export interface OutdatedEvent {
  readonly event: SignedEvent;
  /** DID of the bridge that signed the event. */
  readonly origin: string;
  readonly message: Message;
}

export type ConsumerState =
  | { readonly state: 'connected' }
  | { readonly state: 'disconnected'; readonly reason: string; readonly retryInMs: number }
  | { readonly state: 'stopped' };

/** A fault after which the consumer continues. No text contains a secret or a payload. */
export interface ConsumerFault {
  /** A sentence for a log. */
  readonly reason: string;
  /** What a handler or the store threw. */
  readonly error?: unknown;
  /** Of a failed attempt to process a message. */
  readonly attempt?: number;
  readonly messageId?: string;
}

/** What a consumer reports besides events. */
export interface Reports {
  readonly refused: RefusedMessage;
  /** Messages of a channel that the bus removed before this consumer received them. */
  readonly gap: MissedMessages;
  readonly state: ConsumerState;
  readonly fault: ConsumerFault;
  readonly outdated: OutdatedEvent;
}

/** One event of the asynchronous iterator. */
export interface ReceivedEvent {
  readonly event: SignedEvent;
  readonly context: EventContext;
  /** Saves and acknowledges the event, or rejects with what ended the run. The next iteration does it too. */
  readonly ack: () => Promise<void>;
}

const MAX_WINDOW = 10_000;

/** What a function throws is thrown. */
export function currentTrust(trust: Trust | (() => Trust)): Trust {
  return typeof trust === 'function' ? trust() : trust;
}

/** @returns the channels to receive. @throws InvalidOptionError */
export function checkOptions(options: ConsumerOptions): readonly string[] {
  const { url, clientId, from, delivery = 'acknowledged', window = 1, maxAttempts = 1 } = options;
  if (!isHttpAddress(url, { query: false, credentials: false, tls: true }))
    throw new InvalidOptionError(
      'url',
      'takes the address of the gateway with https://, or with http:// on this machine, without user, password and query.',
    );
  if (delivery === 'acknowledged' && clientId === '')
    throw new InvalidOptionError('clientId', 'takes a name of this consumer, such as treasury-1.');
  if (delivery === 'plain' && from !== undefined)
    throw new InvalidOptionError('from', 'needs acknowledged delivery: plain delivery begins now.');
  if (from instanceof Date && Number.isNaN(from.getTime()))
    throw new InvalidOptionError('from', 'takes a valid date.');
  if (!Number.isInteger(window) || window < 1 || window > MAX_WINDOW)
    throw new InvalidOptionError('window', `takes a whole number from 1 to ${MAX_WINDOW}.`);
  if (!(maxAttempts >= 1)) throw new InvalidOptionError('maxAttempts', 'takes a number of at least 1.');
  const trust = currentTrust(options.trust);
  // JavaScript has no types, and the package can be loaded twice.
  if (typeof (trust as Partial<Trust> | undefined)?.sendersOf !== 'function')
    throw new InvalidOptionError(
      'trust',
      "takes a Trust, such as Trust.fromFile('trust.json'), or a function that returns it.",
    );
  const hasGateway = (fqcn: string): boolean => trust.sendersOf(fqcn).gateways.length > 0;
  const channels = options.channels ?? trust.channels.filter(hasGateway);
  if (channels.length === 0)
    throw new InvalidOptionError(
      'trust',
      'names no channel with a trusted gateway. Export the trust file again, or add the channels to it.',
    );
  const unknown = channels.find((fqcn) => !hasGateway(fqcn));
  if (unknown !== undefined)
    throw new InvalidOptionError(
      'trust',
      `names no trusted gateway of the channel ${unknown}: every message of it would be refused. Add the gateway, or leave the channel out.`,
    );
  return channels;
}
