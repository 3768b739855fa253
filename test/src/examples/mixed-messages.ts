import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SendMessage } from '@ssb/bus';
import { TOPIC_BY_EVENT_TYPE } from '@ssb/events';
import { generatePrivateKey } from '@ssb/identity';
import { CHANNEL, FACT, originDid, signedEvent, type MessageOptions } from '@ssb/testing/signed-messages';
import { REPOSITORY_ROOT } from '@ssb/tools';

const VECTORS = join(REPOSITORY_ROOT, 'libs/events/vectors');
const TOPIC = TOPIC_BY_EVENT_TYPE['settlementbus.margin.breached.v1'];

/** A message to post, and what every receiver must say about it. */
export interface MixedMessage {
  readonly message: SendMessage;
  /** Posted through a gateway that no receiver trusts. */
  readonly byStranger?: true;
  readonly expected: { readonly event: string } | { readonly reason: string };
}

interface Vector {
  readonly message: { readonly fqcn: string; readonly topic?: string; readonly payload: string };
  readonly verdict: { readonly ok: true } | { readonly ok: false; readonly reason: string };
}

/** Checks of the sender. All others hold for the signature of any trusted gateway. */
const SENDER_REASONS = ['signature-format', 'signer-mismatch', 'sender-not-allowed'];

/** Messages of which every third is hostile: those of the vectors, and some that a trusted gateway would not post. */
export function mixMessages(count: number): MixedMessage[] {
  const hostile = [...hostileVectors(), ...hostileEvents()];
  return Array.from({ length: count }, (_, number) => {
    const attack = hostile[Math.floor(number / 3) % hostile.length];
    return number % 3 === 2 && attack !== undefined ? attack(number) : genuine(number);
  });
}

export interface TrustFile {
  readonly channels: Readonly<
    Record<string, { readonly gateways: readonly object[]; readonly origins: readonly object[] }>
  >;
}

/** The trust file of the vectors, with the gateway and the bridge of these messages. */
export function trustFile(gatewayDid: string): TrustFile {
  const { channels, ...file } = JSON.parse(readFileSync(join(VECTORS, 'trust.json'), 'utf8')) as TrustFile;
  const withOwn = Object.entries(channels).map(([fqcn, { gateways, origins }]) => [
    fqcn,
    {
      gateways: [...gateways, { did: gatewayDid }],
      origins: [...origins, { did: originDid, participants: [FACT.participant] }],
    },
  ]);
  return { ...file, channels: Object.fromEntries(withOwn) as TrustFile['channels'] };
}

type Attack = (number: number) => MixedMessage;

function hostileVectors(): Attack[] {
  const vectors = JSON.parse(readFileSync(join(VECTORS, 'invalid.json'), 'utf8')) as readonly Vector[];
  return vectors.flatMap(({ message: { fqcn, topic, payload }, verdict }) => {
    if (verdict.ok || SENDER_REASONS.includes(verdict.reason) || !isCarried(payload)) return [];
    const message = { fqcn, payload, ...(topic && { topic }) };
    return [() => ({ message, expected: { reason: verdict.reason } })];
  });
}

/** A broker refuses payloads that are not JSON. */
function isCarried(payload: string): boolean {
  try {
    JSON.parse(payload);
    return true;
  } catch {
    return false;
  }
}

function hostileEvents(): Attack[] {
  const stranger = generatePrivateKey();
  return [
    (number) => ({ ...genuine(number), byStranger: true, expected: { reason: 'sender-not-allowed' } }),
    (number) => post(number, { origin: stranger }, 'origin-not-allowed'),
    (number) => post(number, { signedFor: { topic: 'margin.restored.v1' } }, 'topic-mismatch'),
  ];
}

function genuine(number: number): MixedMessage {
  const event = signedEvent(factOf(number));
  return { message: toMessage(event), expected: { event: String(event['id']) } };
}

function post(number: number, options: MessageOptions, reason: string): MixedMessage {
  return { message: toMessage(signedEvent({ ...factOf(number), ...options })), expected: { reason } };
}

/** Each number is another fact. */
function factOf(number: number): MessageOptions {
  const calculatedAt = new Date(Date.UTC(2026, 2, 2) + number * 1_000).toISOString().slice(0, 19);
  return { fact: { calculatedAt } };
}

function toMessage(event: Readonly<Record<string, unknown>>): SendMessage {
  return { fqcn: CHANNEL, topic: TOPIC, payload: JSON.stringify(event) };
}
