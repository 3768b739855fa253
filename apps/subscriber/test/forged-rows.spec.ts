import type { Message } from '@ssb/bus';
import type { DetectedEvent } from '@ssb/events';
import { generatePrivateKey } from '@ssb/identity';
import { waitFor } from '@ssb/testing';
import { marketTime, originDid, signedMessage } from '@ssb/testing/signed-messages';
import { SubscriberFixture } from './support/subscriber-fixture.js';

/** What a client with the run role of the database can do without any key. */

const REASON = 'archive-authentication-failed';

const fixture = SubscriberFixture.use();

const run = (sql: string, parameters: readonly string[]) => fixture.storage.database.query(sql, parameters);

const breach = (minutesAgo: number, options: Parameters<typeof signedMessage>[0] = {}): Promise<Message> =>
  signedMessage({ fact: { calculatedAt: marketTime(minutesAgo) }, signedAt: new Date(), ...options });

const idOf = ({ payload }: Message): string => (JSON.parse(payload) as DetectedEvent).id;

async function insertArchived(message: Message, daysAgo = 0): Promise<void> {
  const { id, type, subject, participant, sequence, time, detectedat } = JSON.parse(
    message.payload,
  ) as DetectedEvent;
  await run('INSERT INTO inbox (event_id, received_at) VALUES ($1, now())', [id]);
  await run(
    `INSERT INTO archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin,
                          signature, appended_at_nanos, archived_at, event)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, now() - make_interval(days => $14::integer), $13)`,
    [
      ...[id, type, subject, participant, sequence, time, detectedat, message.fqcn, message.id],
      ...[message.sender, originDid, message.signature, message.payload],
      String(daysAgo),
    ],
  );
}

async function insertDelivery(message: Message): Promise<void> {
  await run(
    `WITH added AS (
       INSERT INTO delivery (event_id, sink, kind, urgent, state, subject, sequence, archive_offset)
       SELECT event_id, 'treasury', 'alert', true, true, subject, sequence, archive_offset FROM archive WHERE event_id = $1 RETURNING subject
     )
     INSERT INTO delivery_subject (sink, subject, pending, urgent, alerts, next_attempt_at) SELECT 'treasury', subject, 1, 1, 1, now() FROM added`,
    [idOf(message)],
  );
}

/** A slow test also has a report of the refused delivery. */
const reports = async () =>
  (await fixture.queries.listArchived()).flatMap(({ text }) => {
    const { local, data } = JSON.parse(text) as { local?: true; data: { reason: string; detail: string } };
    return local && data.reason === REASON ? [`${data.reason}: ${data.detail}`] : [];
  });

it('a forged event in archive and outbox is not delivered, is reported, and holds up no later one', async () => {
  const forged = await breach(2, { origin: generatePrivateKey() });
  await insertArchived(forged);
  await insertDelivery(forged);
  const subscriber = await fixture.start(fixture.environment());
  const genuine = await breach(1);
  await fixture.deliver(genuine);
  await fixture.waitForDeliveries(1);
  await waitFor('the refusal', () => subscriber.lines.some(({ msg }) => msg === 'delivery refused'));
  await waitFor('the report', async () => (await reports()).length > 0);
  expect(await reports()).toEqual([
    expect.stringMatching(
      /^archive-authentication-failed: The archived \S+ \S+ was not delivered: origin-not-allowed/,
    ),
  ]);
  expect(fixture.deliveries.map(({ body }) => body)).toEqual([genuine.payload]);
});

it('a forged event without a signature and with any participant holds up nothing, and its report is delivered', async () => {
  const name = 'x'.repeat(200);
  await fixture.storage.database.query(
    `WITH known AS (INSERT INTO inbox (event_id, received_at) VALUES ('forged', now()) RETURNING event_id), row AS (
       INSERT INTO archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin,
                            signature, marks, appended_at_nanos, archived_at, event)
       SELECT event_id, 'settlementbus.bridge.alert.raised.v1', 's', $1, '1', 't', 't', 'local', 'm', 'local', 'local', '', '{local}', 1, now(), $2
       FROM known RETURNING *
     ), added AS (
       INSERT INTO delivery (event_id, sink, kind, urgent, state, subject, sequence, archive_offset)
       SELECT event_id, 'treasury', 'alert', false, true, subject, sequence, archive_offset FROM row
     )
     INSERT INTO delivery_subject (sink, subject, pending, alerts, next_attempt_at) VALUES ('treasury', 's', 1, 1, now())`,
    [
      name,
      JSON.stringify({
        type: 'settlementbus.bridge.alert.raised.v1',
        ...{ participant: '\ud800', sequence: '1', local: true, data: { app: 'subscriber' } },
      }),
    ],
  );
  const webhookTypes = ['settlementbus.bridge.alert.raised.v1', 'settlementbus.margin.*'];
  await fixture.start(fixture.environment({ webhookTypes }));
  const genuine = await breach(1);
  await fixture.deliver(genuine);
  const isReport = ({ body }: { body: string }) => body.includes(`"reason":"${REASON}"`);
  await waitFor('the report', () => fixture.deliveries.some(isReport));
  await waitFor('the breach', () => fixture.deliveries.some(({ body }) => body === genuine.payload));
});

it('an id in the inbox without its event suppresses no event, unless a deletion is recorded', async () => {
  const [suppressed, deleted] = [await breach(2), await breach(1)];
  await run('INSERT INTO inbox (event_id, received_at) VALUES ($1, now())', [idOf(suppressed)]);
  await insertArchived(deleted);
  await fixture.storage.server.query('DELETE FROM subscriber.archive');
  await expect(
    run('INSERT INTO deleted_event (event_id) VALUES ($1)', [idOf(suppressed)]),
  ).rejects.toMatchObject({ code: '42501' });
  await fixture.start(fixture.environment());
  await fixture.deliver(deleted, suppressed);
  await fixture.waitForDeliveries(1);
  expect(fixture.deliveries.map(({ body }) => body)).toEqual([suppressed.payload]);
  expect(await reports()).toEqual([
    expect.stringMatching(/^archive-authentication-failed: The inbox named .* without an archived event/),
  ]);
});

it('the recorded deletion of a forged heartbeat with the id of a breach does not make that a repeat', async () => {
  const genuine = await breach(1);
  await insertArchived(
    { ...genuine, payload: genuine.payload.replace('margin.breached', 'bridge.heartbeat') },
    2,
  );
  const [row] = await fixture.storage.database.query<{ deleted: number }>(
    'SELECT delete_old_heartbeats(1000) AS deleted',
  );
  expect(row?.deleted).toBe(1);
  await fixture.start(fixture.environment());
  await fixture.deliver(genuine);
  await fixture.waitForDeliveries(1);
  expect(fixture.deliveries.map(({ body }) => body)).toEqual([genuine.payload]);
  // Neither this row nor a later cleanup removes the id of the archived event.
  await fixture.storage.server.query(
    `UPDATE subscriber.deleted_heartbeat SET received_at = now() - interval '3 days'`,
  );
  await run('SELECT delete_old_heartbeats(1000)', []);
  expect(await run('SELECT event_id FROM inbox WHERE event_id = $1', [idOf(genuine)])).toHaveLength(1);
});

it('a forged event with the id of a genuine one does not make that a repeat', async () => {
  const genuine = await breach(1);
  await insertArchived({ ...genuine, payload: genuine.payload.replace('BREACHED', 'RESTORED') });
  await fixture.start(fixture.environment());
  await fixture.deliver(genuine);
  const [quarantined] = await fixture.queries.listQuarantined();
  expect(quarantined).toMatchObject({ reason: 'id-taken', payload: Buffer.from(genuine.payload) });
  expect(await reports()).toContainEqual(
    expect.stringMatching(/^archive-authentication-failed: id-taken: the archive holds another event/),
  );
});
