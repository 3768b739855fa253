import { createHash, createHmac } from 'node:crypto';
import { createTestDelivery } from '../../src/deliveries/test-delivery.js';
import { RETIRED_AT, RETIRED_BRIDGE, UNKNOWN_BRIDGE, type Party } from './parties.js';
import { makeMessage, type Json, type MessageChanges } from './make-message.js';
import { MARGIN } from './valid.js';

/** A webhook and what a verifier says about it. */
export interface WebhookVector {
  readonly name: string;
  /** The part of the request that is wrong. */
  readonly breaks?: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: readonly string[];
  /** The present time. */
  readonly now: string;
  /** Whether the events are verified with `trust.json` as well. */
  readonly trust: boolean;
  readonly verdict:
    | { readonly ok: true; readonly id: string }
    | { readonly ok: false; readonly reason: string };
}

interface Changes {
  readonly breaks?: string;
  readonly body?: string;
  /** The body that is signed, when it is another one. */
  readonly signedBody?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signature?: (signature: string) => string;
  readonly secret?: readonly string[];
  readonly seconds?: number;
  readonly trust?: boolean;
  /** What the verdict says besides the id. */
  readonly says?: Json;
}

const secretOf = (name: string): string => `whsec_${createHash('sha256').update(name).digest('base64')}`;
export const SECRET = secretOf('settlement-bus-bridge vectors: webhook');
export const OTHER_SECRET = secretOf('settlement-bus-bridge vectors: former webhook');
export const SENT_AT = Date.parse('2026-03-02T02:16:00.000Z');
export const TIMESTAMP = String(SENT_AT / 1_000);

export const eventText = (base: object, changes: MessageChanges = {}): string =>
  makeMessage('', base, changes).payload;
export const EVENT = eventText(MARGIN);

/** The scheme of Standard Webhooks: HMAC-SHA256 over id, time and body. */
export function sign(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

function webhook(name: string, verdict: WebhookVector['verdict'], changes: Changes): WebhookVector {
  const { breaks, body = EVENT, signedBody = body, secret = [SECRET], seconds = 0, trust = true } = changes;
  const { id } = MARGIN;
  const signature = sign(SECRET, id, TIMESTAMP, signedBody);
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': TIMESTAMP,
    'webhook-signature': changes.signature?.(signature) ?? signature,
    ...changes.headers,
  };
  return {
    name,
    ...(breaks !== undefined && { breaks }),
    body,
    headers: JSON.parse(JSON.stringify(headers)) as Record<string, string>,
    secret,
    now: new Date(SENT_AT + seconds * 1_000).toISOString(),
    trust,
    verdict,
  };
}

export function accepted(name: string, changes: Changes = {}): WebhookVector {
  const { id } = JSON.parse(changes.body ?? EVENT) as { readonly id: string };
  return webhook(name, { ok: true, id, ...changes.says }, changes);
}

export const refused = (reason: string, name: string, breaks: string, changes: Changes): WebhookVector =>
  webhook(name, { ok: false, reason }, { ...changes, breaks });

export const TEST = JSON.stringify(
  createTestDelivery({
    sink: 'desk',
    requestId: '7',
    requestedAt: new Date(SENT_AT),
    author: 'a',
    comment: 'é–😀',
  }),
);

export const parsed = (text: string): Json => JSON.parse(text) as Json;
export const without = (text: string, member: string): string =>
  JSON.stringify({ ...parsed(text), [member]: undefined });

/** A message of the bridge with events inside. */
export function containing(type: string, data: Json): string {
  return JSON.stringify({ ...parsed(TEST), type: `settlementbus.delivery.${type}.v1`, data });
}

/** An event from the archive, which its bridge signed some seconds before it was retired. */
export const signedBefore = (origin: Party, seconds: number, base: object = MARGIN): string =>
  eventText(base, {
    origin,
    event: { signedat: new Date(Date.parse(RETIRED_AT) - seconds * 1_000).toISOString() },
  });
export const ARCHIVED = signedBefore(RETIRED_BRIDGE, 3_600);

export const UNTRUSTED = eventText(MARGIN, { origin: UNKNOWN_BRIDGE });
