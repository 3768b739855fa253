import {
  createHeartbeatEvent,
  createFactEvent,
  signEvent,
  TOPIC_BY_EVENT_TYPE,
  type DetectedEvent,
  type Detection,
  marginEventType,
  type MarginData,
} from '@ssb/events';
import { didOfKey, generatePrivateKey, type PrivateKey } from '@ssb/identity';
import { HDNodeWallet, Wallet } from 'ethers';

export const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
/** When the events of these tests were signed. */
export const SIGNED_AT = new Date('2026-03-02T00:00:05.000Z');

/** The gateway that posts. It signs with ethers, which is independent of this project. */
export const gateway: HDNodeWallet = Wallet.createRandom();
export const gatewayDid = `did:ethr:${gateway.address}`;
/** The bridge that signs events. */
export const origin: PrivateKey = generatePrivateKey();
export const originDid = didOfKey(origin);

/** A message of the bus, as the client of the gateway parses it. */
export interface BusMessage {
  readonly id: string;
  readonly fqcn: string;
  readonly topic?: string;
  readonly payload: string;
  readonly signature: string;
  readonly sender: string;
  readonly timestampNanos: bigint;
  readonly transactionId?: string;
}

export type MarginFact = MarginData & { readonly participant: string };

export const FACT: MarginFact = {
  participant: 'WPGENCO',
  tradingDay: '2026-03-01T00:00:00',
  calculatedAt: '2026-03-02T08:00:00',
  level: 'BREACHED',
  previousLevel: 'WARNING',
  tradingMargin: '-1234567890123456789012.12345678',
  thresholds: { warning: '250000.00', breach: '0.00', hysteresis: '25000.00' },
};

export interface MessageOptions {
  readonly fact?: Partial<MarginFact>;
  /** Replaces the margin event. */
  readonly detected?: DetectedEvent;
  /** Channel and topic inside the signed event. */
  readonly signedFor?: { readonly channel?: string; readonly topic?: string };
  readonly signedAt?: Date;
  readonly origin?: PrivateKey;
  readonly gateway?: HDNodeWallet;
  /** Changes the event after it was signed. */
  readonly forge?: (event: Record<string, unknown>) => unknown;
  /** Replaces the payload's text before the gateway signs it. */
  readonly payload?: (text: string) => string;
  /** Changes fields of the message after the gateway signed it. */
  readonly overrides?: Partial<BusMessage>;
}

export const DETECTION: Detection = {
  detectedAt: new Date('2026-03-02T00:00:01.250Z'),
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
};

const MARKET_OFFSET_MS = 8 * 3_600_000;

/** The zone-less market time some minutes ago. */
export function marketTime(minutesAgo: number): string {
  return new Date(Date.now() + MARKET_OFFSET_MS - minutesAgo * 60_000).toISOString().slice(0, -1);
}

/** The breach of `FACT`, changed, as a poller detects it. */
export function marginEvent(change: Partial<MarginFact> = {}): DetectedEvent {
  const { participant, ...data } = { ...FACT, ...change };
  const type = marginEventType(data.previousLevel, data.level);
  return createFactEvent({ type, data }, participant, DETECTION);
}

/** A signed event that is not on the bus yet. */
export function signedEvent(options: MessageOptions = {}): Record<string, unknown> {
  const detected = options.detected ?? marginEvent(options.fact);
  return {
    ...signEvent(detected, {
      channel: CHANNEL,
      topic: TOPIC_BY_EVENT_TYPE[detected.type],
      ...options.signedFor,
      signedAt: options.signedAt ?? SIGNED_AT,
      key: options.origin ?? origin,
    }),
  };
}

let messages = 0;

/** A message as a gateway delivers it; valid without options. */
export async function signedMessage(options: MessageOptions = {}): Promise<BusMessage> {
  const { forge = (event) => event, payload: rewrite = (text) => text } = options;
  const event = signedEvent(options);
  const payload = rewrite(JSON.stringify(forge(event)));
  const poster = options.gateway ?? gateway;
  messages += 1;
  return {
    id: `1700000000000-${messages}`,
    fqcn: CHANNEL,
    topic: String(event['topic']),
    payload,
    signature: await poster.signMessage(payload),
    sender: `did:ethr:${poster.address}`,
    timestampNanos: BigInt((options.signedAt ?? SIGNED_AT).getTime() + 40) * 1_000_000n,
    transactionId: String(event['id']),
    ...options.overrides,
  };
}

/** A heartbeat that was created `ageMs` ago and appended at once; the last successful polls are `pollAgeMs` older. */
export function heartbeatMessage({
  ageMs = 0,
  pollAgeMs = 0,
  test,
}: { readonly ageMs?: number; readonly pollAgeMs?: number; readonly test?: true } = {}): Promise<BusMessage> {
  const at = new Date(Date.now() - ageMs);
  const polls = { intervalMs: 1_000, lastSuccess: new Date(at.getTime() - pollAgeMs).toISOString() };
  const detected = createHeartbeatEvent(
    {
      participant: FACT.participant,
      channel: CHANNEL,
      intervalMs: 60_000,
      polls: { prudential: polls, settlement: polls },
      ...(test && { test }),
    },
    { detectedAt: at, traceparent: DETECTION.traceparent },
  );
  return signedMessage({ detected, signedAt: at });
}
