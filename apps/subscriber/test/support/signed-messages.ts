import type { Message } from '@ssb/bus';
import { marginChanged, sealEvent, TOPIC_OF, type MarginFact } from '@ssb/events';
import { didOfKey, generatePrivateKey, type PrivateKey } from '@ssb/identity';
import { HDNodeWallet, Wallet } from 'ethers';

export const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
/** When the events of these tests were sealed. */
export const SIGNED_AT = new Date('2026-03-02T00:00:05.000Z');

/** The gateway that posts: signs with ethers, so that nothing of ours vouches for itself. */
export const gateway: HDNodeWallet = Wallet.createRandom();
export const gatewayDid = `did:ethr:${gateway.address}`;
/** The bridge that states facts. */
export const origin: PrivateKey = generatePrivateKey();
export const originDid = didOfKey(origin);

const FACT: MarginFact = {
  participant: 'WPGENCO',
  tradingDay: '2026-03-01T00:00:00',
  calculatedAt: '2026-03-02T08:00:00',
  level: 'BREACHED',
  previousLevel: 'WARNING',
  tradingMargin: '-1234567890123456789012.12345678',
  thresholds: { warning: '250000.00', breach: '0.00', hysteresis: '25000.00' },
};

export interface MessageWish {
  readonly fact?: Partial<MarginFact>;
  /** Which channel and topic the origin seals the event for. */
  readonly sealedFor?: { readonly channel?: string; readonly topic?: string };
  readonly signedAt?: Date;
  readonly origin?: PrivateKey;
  readonly gateway?: HDNodeWallet;
  /** Changes the sealed event after it was proved. */
  readonly forge?: (event: Record<string, unknown>) => unknown;
  /** Replaces the payload's text; it is signed as it is. */
  readonly payload?: (text: string) => string;
  /** Changes the outside of the message after it was signed. */
  readonly outside?: Partial<Message>;
}

/** The event a wish describes, sealed and not yet on the bus. */
export function sealed(wish: MessageWish = {}): Record<string, unknown> {
  const detected = marginChanged(
    { ...FACT, ...wish.fact },
    {
      detectedAt: new Date('2026-03-02T00:00:01.250Z'),
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    },
  );
  return {
    ...sealEvent(detected, {
      channel: CHANNEL,
      topic: TOPIC_OF[detected.type],
      ...wish.sealedFor,
      signedAt: wish.signedAt ?? SIGNED_AT,
      key: wish.origin ?? origin,
    }),
  };
}

let messages = 0;

/** A message as a gateway delivers it; without a wish it is right in every respect. */
export async function signedMessage(wish: MessageWish = {}): Promise<Message> {
  const { forge = (event) => event, payload: rewrite = (text) => text } = wish;
  const event = sealed(wish);
  const payload = rewrite(JSON.stringify(forge(event)));
  const signer = wish.gateway ?? gateway;
  messages += 1;
  return {
    id: `1700000000000-${messages}`,
    fqcn: CHANNEL,
    topic: String(event['topic']),
    payload,
    signature: await signer.signMessage(payload),
    sender: `did:ethr:${signer.address}`,
    timestampNanos: BigInt((wish.signedAt ?? SIGNED_AT).getTime() + 40) * 1_000_000n,
    transactionId: String(event['id']),
    ...wish.outside,
  };
}
