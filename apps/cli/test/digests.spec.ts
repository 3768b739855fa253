import { runCommand } from './support/run-command.js';
import { addEvent, createSubscriberTables, type SubscriberTables } from './support/subscriber-tables.js';

const EVENTS = ['1', '2', '3'].map((digit) => `eeeeee0${digit}-0000-4000-8000-000000000000`);
const [OWN = '', OTHERS = '', ALONE = ''] = EVENTS;
const DIGEST = '7d8f4a1e-3f0c-4a53-9b1a-52f1f0f0c9d1';

let tables: SubscriberTables;

/** A digest with an event of WPGENCO and a newer one of OTHER. */
beforeAll(async () => {
  tables = await createSubscriberTables();
  const { admin } = tables;
  for (const [at, id] of EVENTS.entries())
    await addEvent(admin, id, {
      type: `settlementbus.${['statement.published', 'payment.due', 'invoice.issued'][at]}.v1`,
      archivedAt: `2026-01-0${at + 1}T00:00:00Z`,
      sinks: ['treasury'],
    });
  await admin.query(`UPDATE archive SET participant = 'OTHER' WHERE event_id = '${OTHERS}'`);
  await admin.query(
    `UPDATE delivery SET kind = 'notice', withheld = 'grouped', delivered_at = now(), digest_id = '${DIGEST}' WHERE event_id <> '${ALONE}'`,
  );
  await admin.query(
    `INSERT INTO delivery (event_id, sink, kind, subject, sequence, archive_offset, about_event_id, details)
     SELECT '${DIGEST}', sink, 'notice', 'sink/treasury', '', archive_offset, event_id, '{"delivery": "digest", "count": 2}'
     FROM delivery WHERE event_id = '${OTHERS}'`,
  );
});
afterAll(() => tables.close());

const run = (...args: string[]) => runCommand(['deliveries', ...args], { DATABASE_URL: tables.url });
const list = async (...filters: string[]) => {
  const { stdout } = await run('list', '--json', ...filters);
  const { deliveries } = JSON.parse(stdout) as { deliveries: { eventId: string; state: string }[] };
  return deliveries.map(({ eventId, state }) => `${eventId} ${state}`);
};

it.each([
  ['--type settlementbus.statement.published.v1', [`${DIGEST} pending`, `${OWN} withheld`]],
  ['--type settlementbus.payment.due.v1', [`${DIGEST} pending`, `${OTHERS} withheld`]],
  ['--type settlementbus.payment.due.v1 --participant WPGENCO', []],
  ['--participant WPGENCO --state pending', [`${ALONE} pending`, `${DIGEST} pending`]],
  ['--type settlementbus.margin.warning.v1', []],
  ['--type delivery.digest', [`${DIGEST} pending`]],
  ['--type settlementbus.delivery.digest.v1 --participant OTHER', [`${DIGEST} pending`]],
])('list %s has the digest when one of its events matches', async (filters, expected) => {
  expect(await list(...filters.split(' '))).toEqual(expected);
});

it.each([
  ['a digest', DIGEST, [DIGEST, OTHERS, OWN]],
  ['an event', OWN, [DIGEST, OWN]],
])('show has %s with what belongs to it', async (_, id, expected) => {
  const { stdout } = await run('show', id, '--json');
  const { deliveries } = JSON.parse(stdout) as { deliveries: { eventId: string }[] };
  expect(deliveries.map(({ eventId }) => eventId)).toEqual(expected);
});

it('an event is delivered with its digest', async () => {
  const { stdout } = await run('list');
  expect(stdout).toMatch(/ treasury +in digest 7d8f4a1e +notice +critical +statement\.published +WPGENCO /);
  expect(stdout).toMatch(/ treasury +pending +notice +info +delivery\.digest +\* /);
  await tables.admin.query(`UPDATE delivery SET delivered_at = now() WHERE event_id = '${DIGEST}'`);
  expect(await list('--state', 'withheld')).toEqual([]);
  expect(await list('--state', 'delivered')).toEqual([DIGEST, OTHERS, OWN].map((id) => `${id} delivered`));
  expect((await run('list')).stdout).toContain('delivered in digest 7d8f4a1e');
});
