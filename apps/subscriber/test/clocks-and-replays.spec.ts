import type { Message } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import { marketTime, signedMessage } from '@ssb/testing/signed-messages';
import { SubscriberFixture } from './support/subscriber-fixture.js';

const BREACH = 'settlementbus.margin.breached.v1';

const fixture = SubscriberFixture.use();

it('alerts at once what a publisher with a wrong clock signed, with a mark', async () => {
  const signedAt = new Date();
  const appendedAfter = (seconds: number, minutesAgo: number) =>
    signedMessage({
      fact: { calculatedAt: marketTime(minutesAgo) },
      signedAt,
      overrides: { timestampNanos: BigInt(signedAt.getTime() + seconds * 1_000) * 1_000_000n },
    });
  const ahead = await appendedAfter(-120, 3);
  const behind = await appendedAfter(400, 2);
  const right = await appendedAfter(1, 1);
  const subscriber = await fixture.start(fixture.environment());
  await fixture.deliver(ahead, behind, right);
  await fixture.waitForDeliveries(3);
  expect(fixture.deliveries).toEqual([
    { body: ahead.payload, marks: 'clockSkew' },
    { body: behind.payload, marks: 'late' },
    { body: right.payload, marks: undefined },
  ]);
  expect(await fixture.queries.listQuarantined()).toEqual([]);
  // The receiver may log after the dispatcher has delivered. The clock offset of the broker is an alert of its own.
  const marks = (step: string) =>
    subscriber.lines
      .filter((line) => line['step'] === step && line['sink'] !== 'log')
      .filter(({ eventType }) => String(eventType).startsWith('settlementbus.margin.'))
      .map((line) => line['marks']);
  await waitFor('the log lines', () => marks('archived').length === 3 && marks('delivered').length === 3);
  expect(marks('archived')).toEqual([['clockSkew'], ['late'], []]);
  expect(marks('delivered')).toEqual([['clockSkew'], ['late'], []]);
});

it('refuses the replay of an event whose id was deleted, and accepts an event that others overtook', async () => {
  const at = (minutesAgo: number, signedAt: Date): Promise<Message> =>
    signedMessage({ fact: { calculatedAt: marketTime(minutesAgo) }, signedAt });
  const deletedBefore = new Date(Date.now() - 60_000);
  const old = await at(30, new Date(deletedBefore.getTime() - 1));
  const newest = await at(10, new Date());
  await fixture.start(fixture.environment());
  await fixture.deliver(old, newest);
  await fixture.waitForDeliveries(2);
  await deleteOldEvents(deletedBefore);

  const replay = { ...old, id: 'replay', transactionId: 'another' };
  const overtaken = await at(20, new Date());
  await fixture.deliver(replay, overtaken);
  await fixture.waitForDeliveries(3);
  expect(fixture.deliveries.map(({ body }) => body)).toEqual(
    [old, newest, overtaken].map(({ payload }) => payload),
  );
  const quarantined = await fixture.queries.listQuarantined();
  expect(quarantined.map(({ messageId, reason }) => [messageId, reason])).toEqual([['replay', 'replayed']]);

  // A later evaluation does not accept it either.
  await fixture.requestRecheck();
  await waitFor('the recheck', async () => {
    const rows = await fixture.storage.database.query(
      `SELECT 1 FROM request WHERE outcome = 'done' AND result->'released' = '0'`,
    );
    return rows.length > 0;
  });
  expect(fixture.deliveries).toHaveLength(3);
});

/** What a retention does: it deletes events with their ids, and records since when ids are held. */
async function deleteOldEvents(before: Date): Promise<void> {
  const { server } = fixture.storage;
  const [{ event_id: id } = { event_id: '' }] = await server.query<{ event_id: string }>(
    'SELECT event_id FROM subscriber.archive ORDER BY sequence LIMIT 1',
  );
  // Events of an open problem are not deleted.
  await server.query(`UPDATE subscriber.problem SET state = 'closed', ended_at = now()`);
  for (const table of ['delivery', 'archive', 'inbox'])
    await server.query(`DELETE FROM subscriber.${table} WHERE event_id = $1`, [id]);
  await server.query('INSERT INTO subscriber.inbox_horizon (type, held_since) VALUES ($1, $2)', [
    BREACH,
    before,
  ]);
}
