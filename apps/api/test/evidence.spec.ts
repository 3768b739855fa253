import { signMessage } from '@ssb/identity';
import { archiveEvent, uuidOf } from '@ssb/testing/archived-events';
import {
  CHANNEL,
  gatewayDid,
  origin,
  originDid,
  signedMessage,
  type BusMessage,
} from '@ssb/testing/signed-messages';
import type { SignedEvidence } from 'settlement-bus-downstream';
import { addDelivery } from './support/added-deliveries.js';
import { RunningApi } from './support/running-api.js';

let api: RunningApi;
let message: BusMessage;
let eventId: string;

beforeAll(async () => {
  api = await RunningApi.start();
  const { admin } = api.tables;
  message = await signedMessage();
  eventId = message.transactionId ?? '';
  await admin.query('INSERT INTO inbox (event_id, received_at) VALUES ($1, now())', [eventId]);
  await admin.query(
    `INSERT INTO archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin, signature,
       appended_at_nanos, archived_at, event)
     VALUES ($1, 'settlementbus.margin.breached.v1', 'WPGENCO/prudential', 'WPGENCO', '1', '2026-03-02T08:00:00+08:00', '2026-03-02T00:00:01Z', $2, $3, $4, $5, $6,
       $7::text::numeric, '2026-03-02T00:00:06.123456Z', $8)`,
    [
      eventId,
      CHANNEL,
      message.id,
      gatewayDid,
      originDid,
      message.signature,
      message.timestampNanos.toString(),
      message.payload,
    ],
  );
  await addDelivery(admin, { event_id: eventId, sink: 'treasury', kind: 'alert' });
  await admin.query(
    `INSERT INTO attempt (event_id, sink, number, at, duration_ms, outcome, status, response) VALUES ($1, 'treasury', 1, '2026-03-02T00:00:08Z', 11, 'delivered', 204, 'ok')`,
    [eventId],
  );
  await admin.query(
    `INSERT INTO trusted_key VALUES
       ($1, 'gateway', $2, '{}', '2026-03-02T00:00:06.123456Z', NULL), ($1, 'gateway', 'did:ethr:0x2222222222222222222222222222222222222222', '{}', '-infinity', '2026-01-01T00:00:00Z'),
       ($1, 'origin', $3, '{BETA,WPGENCO}', '-infinity', NULL),
       ($1, 'origin', 'did:ethr:0x1111111111111111111111111111111111111111', '{BETA}', '-infinity', NULL)`,
    [CHANNEL, gatewayDid, originDid],
  );
});
afterAll(() => api.close());

const read = async (token: string): Promise<SignedEvidence> =>
  (await api.get(`/v1/events/${eventId.slice(0, 10)}/evidence`, { token })).json();

it('gives what proves an event to those who may see it', async () => {
  const evidence = await read(api.operator);
  expect(evidence).toMatchObject({
    eventId,
    message: { payload: message.payload, signature: message.signature },
    gateway: { did: gatewayDid },
    origin: { did: originDid },
    deliveries: [{ sink: 'treasury', attempts: [{ outcome: 'delivered', status: 204, response: 'ok' }] }],
  });
  expect(evidence.trusted.origins).toHaveLength(2);
  expect((await api.get(`/v1/events/${uuidOf('none')}/evidence`)).status).toBe(404);
});

it('shows a viewer no response of a sink, and a caller only its participants', async () => {
  const [delivery] = (await read(api.viewer)).deliveries;
  expect(delivery?.attempts[0]).not.toHaveProperty('response');
  expect((await read(api.limited)).trusted).toEqual({
    gateways: [{ did: gatewayDid, from: '2026-03-02T00:00:06.123456Z' }],
    origins: [{ did: originDid, participants: ['WPGENCO'] }],
  });
  const event = { id: uuidOf('beta'), participant: 'BETA' };
  await archiveEvent(api.tables.admin, 'margin.breached', { event });
  const address = `/v1/events/${event.id}/evidence`;
  expect((await api.get(address, { token: api.limited })).status).toBe(404);
  // The signature of this row is not that of its text.
  expect(await api.get(address)).toMatchObject({
    status: 409,
    body: expect.stringContaining('Compare the row with a backup.') as string,
  });
});

it('finds out how the gateway signed', async () => {
  expect((await read(api.operator)).signatureScheme).toBe('eip191');
  await api.tables.admin.query('UPDATE archive SET sender = $1, signature = $2 WHERE event_id = $3', [
    originDid,
    signMessage(message.payload, origin, 'keccak256'),
    eventId,
  ]);
  expect(await read(api.operator)).toMatchObject({
    signatureScheme: 'keccak256',
    gateway: { did: originDid },
  });
});

it('lists the trusted keys with their times, in pages', async () => {
  const keys: object[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const response = await api.get(
      `/v1/trusted-keys?limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    const page: { items: object[]; next?: string } = response.json();
    keys.push(...page.items);
    cursor = page.next;
  }
  expect(keys).toHaveLength(4);
  expect(keys.slice(0, 2)).toMatchObject([
    { role: 'gateway', until: '2026-01-01T00:00:00.000000Z' },
    { role: 'gateway', did: gatewayDid, from: '2026-03-02T00:00:06.123456Z' },
  ]);
  expect(keys).toContainEqual({
    channel: CHANNEL,
    role: 'origin',
    did: originDid,
    participants: ['BETA', 'WPGENCO'],
  });
  expect((await api.get('/v1/trusted-keys', { token: api.limited })).status).toBe(403);
  expect((await api.get('/v1/trusted-keys?cursor=x')).status).toBe(422);
});
