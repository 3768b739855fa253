import type { Message } from '@ssb/bus';
import { createFactEvent } from '@ssb/events';
import { waitFor } from '@ssb/testing';
import { DELIVERIES_CHANNEL } from '../src/deliveries/outbox/pending-delivery.js';
import { DETECTION, marginEvent, marketTime, signedMessage } from '@ssb/testing/signed-messages';
import { SubscriberFixture } from './support/subscriber-fixture.js';

const HOUR = 60;
const DAY = 24 * HOUR;

const fixture = SubscriberFixture.use();

const breach = (minutesAgo: number) =>
  signedMessage({ fact: { calculatedAt: marketTime(minutesAgo) }, signedAt: new Date() });

const recovery = (minutesAgo: number) =>
  signedMessage({
    fact: { calculatedAt: marketTime(minutesAgo), level: 'OK', previousLevel: 'BREACHED' },
    signedAt: new Date(),
  });

const statement = (runId: number, minutesAgo: number) =>
  signedMessage({
    detected: createFactEvent(
      {
        type: 'settlementbus.statement.published.v1',
        data: {
          runId,
          publishedAt: marketTime(minutesAgo),
          marketService: 'WEM',
          designation: 'INITIAL',
          period: 'TW',
          periodFrom: '2026-03-01T08:00:00',
          periodTo: '2026-03-08T08:00:00',
          tradingDays: 7,
          totals: { payment: '1.00', charge: '2.00' },
          variables: [],
        },
      },
      'WPGENCO',
      DETECTION,
    ),
    signedAt: new Date(),
  });

/** The tests end the hold themselves, so that a slow machine does not end it early. */
const LONG_HOLD = { holdMs: 3_600_000 };

const everythingToTheWebhook = { webhookTypes: ['settlementbus.*'], alertsSince: undefined };

it('a new archive delivers no backlog except the present breach; another CLIENT_ID delivers nothing again', async () => {
  const environment = fixture.environment(everythingToTheWebhook);
  const { lines } = await fixture.start(environment, {}, LONG_HOLD);
  const backlog = [
    await statement(1, 30 * DAY),
    await breach(20 * DAY),
    await recovery(10 * DAY),
    await breach(5 * DAY),
    await statement(2, 4 * DAY),
    await breach(3 * HOUR),
  ];
  // Each in its own batch, as a backlog of many messages arrives.
  for (const message of backlog) await fixture.deliver(message);
  await endHold();
  await fixture.waitForDeliveries(1);
  const present = { body: backlog.at(-1)?.payload, marks: 'late' };
  expect(fixture.deliveries).toEqual([present]);
  // The outcome is recorded after the webhook has responded.
  await waitFor('the outcome', async () => (await outcomes()).every((outcome) => outcome !== null));
  expect(await outcomes()).toEqual(['superseded', 'superseded', 'delivered, status 204']);
  const restored = lines.filter(({ eventType }) => eventType === 'settlementbus.margin.restored.v1');
  expect(restored).toContainEqual(
    expect.objectContaining({ msg: 'event archived', backlog: true, sinks: [], marks: ['late'] }),
  );

  const news = await statement(3, -1);
  await fixture.deliver(news);
  await fixture.waitForDeliveries(2);
  expect(fixture.deliveries).toEqual([present, { body: news.payload, marks: undefined }]);

  await fixture.start(environment, { CLIENT_ID: 'another' });
  const again = [...backlog, news].map((message): Message => ({ ...message, id: `again-${message.id}` }));
  const later = await statement(4, -2);
  await fixture.deliver(...again, later);
  await fixture.waitForDeliveries(3);
  expect(fixture.deliveries.slice(2)).toEqual([{ body: later.payload, marks: undefined }]);
  expect(await fixture.queries.listArchived()).toHaveLength(backlog.length + 2);
});

async function endHold(): Promise<void> {
  await fixture.storage.server.query('UPDATE subscriber.delivery_subject SET next_attempt_at = now()');
  await fixture.storage.database.transaction((session) => session.notify(DELIVERIES_CHANNEL, ''));
}

const outcomes = async () =>
  (
    await fixture.storage.database.query<{ last_outcome: string }>(
      `SELECT last_outcome FROM delivery WHERE sink = 'treasury' ORDER BY archive_offset`,
    )
  ).map(({ last_outcome }) => last_outcome);

it('backfilled events: what the archive lacks is archived, alertsSince decides whether it alerts, the rest is dropped', async () => {
  const alertsSince = new Date(Date.now() - 2 * DAY * 60_000).toISOString();
  await fixture.start(fixture.environment({ webhookTypes: ['settlementbus.*'], alertsSince }));
  const present = await recovery(HOUR);
  await fixture.deliver(present);
  await fixture.waitForDeliveries(1);
  const backfilled = async (level: 'BREACHED' | 'OK', minutesAgo: number): Promise<Message> =>
    signedMessage({
      signedAt: new Date(),
      detected: {
        ...marginEvent({
          calculatedAt: marketTime(minutesAgo),
          level,
          previousLevel: level === 'OK' ? 'BREACHED' : 'OK',
        }),
        backfilled: true,
      },
    });
  const { calculatedAt } = (JSON.parse(present.payload) as { data: { calculatedAt: string } }).data;
  const known = await signedMessage({
    signedAt: new Date(),
    detected: {
      ...marginEvent({ calculatedAt, level: 'OK', previousLevel: 'BREACHED' }),
      backfilled: true,
    },
  });
  const [before, after] = [await backfilled('BREACHED', 10 * DAY), await backfilled('BREACHED', DAY)];
  await fixture.deliver(before, known, after);
  await fixture.waitForDeliveries(2);
  const archived = await fixture.queries.listArchived();
  expect(archived.map(({ text }) => text)).toEqual([present, before, after].map(({ payload }) => payload));
  expect(fixture.deliveries.map(({ body }) => body)).toEqual([present.payload, after.payload]);
});
