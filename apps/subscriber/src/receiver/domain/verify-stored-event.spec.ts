import {
  createAlertRaisedEvent,
  createHeartbeatEvent,
  type DetectedEvent,
  type EventType,
} from '@ssb/events';
import { generatePrivateKey } from '@ssb/identity';
import { Wallet } from 'ethers';
import {
  CHANNEL,
  DETECTION,
  FACT,
  gatewayDid,
  marginEvent,
  originDid,
  signedMessage,
  type MessageOptions,
} from '@ssb/testing/signed-messages';
import { LOCAL } from '../../domain/marks.js';
import { verifyStoredEvent, type StoredEvent } from './verify-stored-event.js';
import type { VerificationOptions } from './message-verifier.js';

const TRUSTED = { gateways: [gatewayDid], origins: [{ did: originDid, participants: ['WPGENCO'] }] };
const OPTIONS: VerificationOptions = {
  scheme: 'eip191',
  trusted: TRUSTED,
  trustedAnywhere: TRUSTED,
  participants: [{ code: 'WPGENCO', margin: { warning: '2', breach: '1', hysteresis: '0' } }],
  clocks: { skewMs: 60_000, maxAgeMs: 300_000 },
};

/** As the archive stores a message. */
async function storedMessage(options: MessageOptions = {}): Promise<StoredEvent> {
  const { id: messageId, fqcn: channel, payload: text, sender, signature } = await signedMessage(options);
  const { id, type, subject, participant, sequence } = JSON.parse(text) as DetectedEvent;
  const columns = { eventId: id, type, subject, participant, sequence, channel, messageId };
  return { ...columns, sender, signature, origin: originDid, marks: [], text };
}

function storedLocally(event: DetectedEvent): StoredEvent {
  const { id, type, subject, participant, sequence } = event;
  return {
    ...{ eventId: id, type, subject, participant, sequence, messageId: id, signature: '', marks: [LOCAL] },
    ...{ channel: LOCAL, sender: LOCAL, origin: LOCAL },
    text: JSON.stringify({ ...event, local: true }),
  };
}

const REPORT = { app: 'subscriber', reason: 'retention-gap', participant: '*' } as const;
const alertOf = (app: 'subscriber' | 'poller') =>
  createAlertRaisedEvent({ ...REPORT, app, count: 1, since: new Date(0), sequence: 1 }, DETECTION);

describe('an archived event', () => {
  it('passes as its message did', async () => {
    expect(verifyStoredEvent(await storedMessage(), OPTIONS)).toEqual({ ok: true });
  });

  it.each<[string, MessageOptions, RegExp]>([
    ['another gateway posted', { gateway: Wallet.createRandom() }, /^sender-not-allowed: /],
    ['another bridge signed', { origin: generatePrivateKey() }, /^origin-not-allowed: /],
    ['was changed after its signature', { forge: (event) => ({ ...event, time: 'x' }) }, /^origin-proof: /],
  ])('fails when %s it', async (_, options, detail) => {
    const verdict = verifyStoredEvent(await storedMessage(options), OPTIONS);
    expect(verdict).toEqual({ ok: false, detail: expect.stringMatching(detail) });
  });

  it.each<[keyof StoredEvent, string]>([
    ['eventId', 'another'],
    ['type', 'settlementbus.margin.restored.v1'],
    ['subject', 'another'],
    ['participant', 'BETA'],
    ['sequence', '2'.padStart(20, '0')],
    ['origin', gatewayDid],
    ['channel', `${CHANNEL}.x`],
    ['signature', `0x${'ab'.repeat(65)}`],
  ])('fails when its row has another %s', async (column, value) => {
    const stored = { ...(await storedMessage()), [column]: value };
    expect(verifyStoredEvent(stored, OPTIONS)).toMatchObject({ ok: false });
  });
});

describe('an event of the subscriber itself', () => {
  it('passes as an operational alert of the subscriber', () => {
    expect(verifyStoredEvent(storedLocally(alertOf('subscriber')), OPTIONS)).toEqual({ ok: true });
  });

  it.each<[string, DetectedEvent<EventType>]>([
    ['a fact of the market', marginEvent()],
    ['an alert of another app', alertOf('poller')],
    ['an alert with the id of another one', { ...alertOf('subscriber'), id: marginEvent().id }],
    [
      'a heartbeat',
      createHeartbeatEvent(
        {
          participant: FACT.participant,
          channel: CHANNEL,
          intervalMs: 1,
          polls: { prudential: { intervalMs: 1 }, settlement: { intervalMs: 1 } },
        },
        DETECTION,
      ),
    ],
  ])('fails as %s', (_, event) => {
    expect(verifyStoredEvent(storedLocally(event), OPTIONS)).toMatchObject({ ok: false });
  });

  it.each<[string, Partial<Record<keyof DetectedEvent, unknown>>]>([
    ['a participant that no URN can hold', { participant: '\ud800' }],
    [
      'members that are not text',
      { data: { ...alertOf('subscriber').data, reason: { toString: 1, valueOf: 1 } } },
    ],
  ])('fails with %s', (_, change) => {
    const stored = storedLocally(alertOf('subscriber'));
    const forged = { ...stored, text: JSON.stringify({ ...alertOf('subscriber'), ...change, local: true }) };
    expect(verifyStoredEvent(forged, OPTIONS)).toMatchObject({ ok: false });
  });
});
