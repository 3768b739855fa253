import { waitFor } from '@ssb/testing';
import { marketTime, signedMessage } from '@ssb/testing/signed-messages';
import { SubscriberFixture } from './support/subscriber-fixture.js';

const fixture = SubscriberFixture.use();

it('a message that the database refuses blocks no other, is reported, and is delivered after the repair', async () => {
  const { server, database } = fixture.storage;
  const messages = await Promise.all(
    [3, 2, 1].map((minutes) =>
      signedMessage({ fact: { calculatedAt: marketTime(minutes) }, signedAt: new Date() }),
    ),
  );
  const [, refused] = messages;
  await server.query(
    `ALTER TABLE subscriber.archive ADD CONSTRAINT without_one CHECK (event_id <> '${refused?.transactionId}') NOT VALID`,
  );
  await fixture.start(fixture.environment());
  await fixture.deliver(...messages);
  await fixture.waitForDeliveries(2);
  const [parked] = await fixture.queries.listQuarantined();
  expect(parked).toMatchObject({ reason: 'not-storable', payload: Buffer.from(refused?.payload ?? '') });
  const archived = await fixture.queries.listArchived();
  expect(archived.map(({ text }) => JSON.parse(text) as unknown)).toContainEqual(
    expect.objectContaining({
      local: true,
      data: expect.objectContaining({
        reason: 'message-not-storable',
        detail: expect.stringContaining('SQLSTATE 23514, violated constraint (without_one)'),
      }),
    }),
  );

  await server.query('ALTER TABLE subscriber.archive DROP CONSTRAINT without_one');
  await fixture.requestRecheck();
  await fixture.waitForDeliveries(3);
  expect(fixture.deliveries.at(-1)).toEqual({ body: refused?.payload, marks: 'late' });
  await waitFor(
    'the end of the request',
    async () => (await database.query(`SELECT 1 FROM request WHERE outcome = 'done'`)).length === 1,
  );
});
