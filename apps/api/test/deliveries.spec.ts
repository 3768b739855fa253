import type { DeliveryDetail } from '../src/deliveries/delivery-detail-dto.js';
import type { DeliveryRow } from '../src/deliveries/delivery-dto.js';
import type { SinkRow } from '../src/sinks/sink-dto.js';
import { addDelivery, type DeliveryColumns } from './support/added-deliveries.js';
import { archiveEvent, uuidOf } from '@ssb/testing/archived-events';
import { carryOutNext } from './support/played-subscriber.js';
import { RunningApi } from './support/running-api.js';

const OWN = 'WPGENCO';
const FOREIGN = 'WPRETAIL';
const DAY = '2026-03-02T00:00:00Z';
const DIGEST = uuidOf('digest');

let api: RunningApi;

/** Archives an event, and adds its delivery. The names of the events are in the order of their deliveries. */
async function deliver(
  name: string,
  participant: string,
  columns: Partial<DeliveryColumns> = {},
): Promise<void> {
  const { admin } = api.tables;
  const event = { id: uuidOf(name), participant, subject: `${participant}/${name}` };
  await archiveEvent(admin, 'position.calculated', { event });
  await addDelivery(admin, {
    event_id: event.id,
    sink: 'treasury',
    delivered_at: DAY,
    ...columns,
  });
}

beforeAll(async () => {
  api = await RunningApi.start();
  const { admin } = api.tables;
  await deliver('delivered', OWN, { attempts: 2, last_outcome: 'delivered, status 200' });
  await deliver('pending', OWN, { delivered_at: null, last_outcome: 'unreachable: 10.0.0.1:443 refused' });
  await deliver('parked', OWN, {
    delivered_at: 'infinity',
    parked_until: DAY,
    kind: 'alert',
    problem_id: 'p1',
  });
  await deliver('skipped', OWN, { skipped: true });
  await deliver('replaced', OWN, { replaced_by: uuidOf('newer') });
  await deliver('muted', OWN, { withheld: 'muted' });
  await deliver('grouped', OWN, { withheld: 'grouped', digest_id: DIGEST });
  await deliver('foreign', FOREIGN, { withheld: 'grouped', digest_id: DIGEST });
  await addDelivery(admin, {
    event_id: DIGEST,
    sink: 'treasury',
    about_event_id: uuidOf('foreign'),
    details: '{"delivery": "digest"}',
    delivered_at: DAY,
  });
  await addDelivery(admin, {
    event_id: uuidOf('reminder'),
    sink: 'pager',
    about_event_id: uuidOf('parked'),
    kind: 'reminder',
    delivered_at: DAY,
  });
  await admin.query(
    `INSERT INTO attempt (event_id, sink, number, at, duration_ms, outcome, status, response, error)
     VALUES ($1, 'treasury', 1, now(), 5, 'unreachable', NULL, NULL, '10.0.0.1:443 refused'), ($1, 'treasury', 2, now(), 7, 'delivered', 200, 'thanks', NULL)`,
    [uuidOf('delivered')],
  );
});
afterAll(() => api.close());

const NAMES = [
  'delivered',
  'pending',
  'parked',
  'skipped',
  'replaced',
  'muted',
  'grouped',
  'foreign',
  'digest',
  'reminder',
];
const nameOf = ({ eventId }: DeliveryRow): string =>
  NAMES.find((name) => uuidOf(name) === eventId) ?? eventId;

const page = async (query: string, token = api.viewer): Promise<{ items: DeliveryRow[]; next?: string }> =>
  (await api.get(`/v1/deliveries?${query}`, { token })).json();
const list = async (query: string, token = api.viewer): Promise<string[]> =>
  (await page(query, token)).items.map(nameOf);

describe('GET /v1/deliveries', () => {
  it('lists what was added last first, in pages', async () => {
    const seen: string[] = [];
    for (let cursor = ''; seen.length < NAMES.length;) {
      const { items, next } = await page(`limit=3${cursor}`);
      seen.push(...items.map(nameOf));
      cursor = `&cursor=${encodeURIComponent(next ?? '')}`;
    }
    expect(seen).toEqual(NAMES.toReversed());
  });

  it.each([
    ['state=parked', ['parked']],
    ['state=pending', ['pending']],
    ['state=skipped&state=replaced', ['replaced', 'skipped']],
    ['state=withheld', ['muted']],
    ['state=delivered', ['reminder', 'digest', 'foreign', 'grouped', 'delivered']],
    ['sink=pager', ['reminder']],
    ['kind=alert', ['parked']],
    ['problem=p1', ['parked']],
    ['type=delivery.digest', ['digest']],
    ['type=position.calculated&sink=pager', ['reminder']],
    [`participant=${FOREIGN}`, ['foreign']],
    ['participant=*', ['digest']],
    [`event=${uuidOf('parked')}`, ['reminder', 'parked']],
    [`event=${uuidOf('grouped')}`, ['digest', 'grouped']],
    ['since=2100-01-01T00:00:00Z', []],
    ['until=2020-01-01T00:00:00Z', []],
  ])('with %s', async (query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  it('finds a delivery whose event is no longer archived by what it shows', async () => {
    const describe = (type: string | null, participant: string | null): Promise<unknown> =>
      api.tables.admin.query(
        'UPDATE delivery SET listed_type = $1, listed_participant = $2 WHERE event_id = $3',
        [type, participant, uuidOf('muted')],
      );
    await describe(null, null);
    const row = { type: 'unknown', participant: '*', state: 'withheld' };
    expect((await page('type=unknown')).items).toMatchObject([row]);
    expect(await list('participant=*')).toEqual(['digest', 'muted']);
    expect(await list('type=unknown', api.limited)).toEqual([]);
    await describe('settlementbus.position.calculated.v1', OWN);
  });

  it('leaves out details of an outcome for a viewer', async () => {
    expect((await page('state=pending')).items).toMatchObject([{ lastOutcome: 'unreachable' }]);
    expect((await page('state=pending', api.operator)).items).toMatchObject([
      { lastOutcome: 'unreachable: 10.0.0.1:443 refused' },
    ]);
  });

  it('is available as CSV', async () => {
    const { type, body } = await api.get('/v1/deliveries?state=parked', { headers: { accept: 'text/csv' } });
    expect(type).toMatch(/^text\/csv/);
    expect(body.split('\r\n')[0]).toMatch(/^eventId,sink,state,kind,/);
  });

  it.each([
    'state=gone',
    'kind=test',
    'type=margin.unknown',
    'cursor=a',
    'cursor=a/b',
    'event=%00',
    'event=3f2a9',
    'event=prudential',
    'limit=101',
  ])('refuses %s', async (query) => {
    expect((await api.get(`/v1/deliveries?${query}`)).status).toBe(422);
  });
});

describe('a caller of one participant', () => {
  const OTHERS = ['foreign', 'digest'];

  it('sees its deliveries only, and nothing of a digest', async () => {
    const { items } = await page('limit=100', api.limited);
    expect(items.map(nameOf)).toEqual(NAMES.toReversed().filter((name) => !OTHERS.includes(name)));
    expect(items.filter((row) => 'digestId' in row)).toEqual([]);
    expect(await list(`event=${DIGEST}`, api.limited)).toEqual([]);
    expect(await list(`event=${uuidOf('grouped')}`, api.limited)).toEqual(['grouped']);
    expect(await list(`participant=${FOREIGN}`, api.limited)).toEqual([]);
  });

  it('gets the response of what does not exist for what belongs to others', async () => {
    const responseTo = async (path: string): Promise<unknown> => {
      const { status, body } = await api.get(`/v1/deliveries${path}`, { token: api.limited });
      return [status, body];
    };
    for (const name of OTHERS) {
      expect(await responseTo(`/${uuidOf(name)}/treasury`)).toEqual(
        await responseTo(`/${uuidOf('none')}/treasury`),
      );
      expect(await responseTo(`?cursor=${uuidOf(name)}/treasury`)).toEqual(
        await responseTo(`?cursor=${uuidOf('none')}/treasury`),
      );
    }
  });
});

describe('GET /v1/deliveries/{eventId}/{sink}', () => {
  const show = async (name: string, token = api.viewer): Promise<DeliveryDetail> =>
    (await api.get(`/v1/deliveries/${uuidOf(name).slice(0, 8)}/treasury`, { token })).json();

  it('shows the attempts in order, with the responses of sinks only for operators', async () => {
    const attempts = [
      { number: 1, outcome: 'unreachable', durationMs: 5 },
      { number: 2, outcome: 'delivered', status: 200, durationMs: 7 },
    ].map((attempt) => ({ ...attempt, at: expect.any(String) }));
    expect(await show('delivered')).toMatchObject({
      state: 'delivered',
      attempts: 2,
      hasEarlierAttempts: false,
    });
    expect((await show('delivered')).attemptLog).toEqual(attempts);
    expect((await show('delivered', api.operator)).attemptLog).toEqual([
      { ...attempts[0], error: '10.0.0.1:443 refused' },
      { ...attempts[1], response: 'thanks' },
    ]);
  });

  it('says that there were earlier attempts', async () => {
    await api.tables.admin.query(
      `INSERT INTO attempt (event_id, sink, number, at, duration_ms, outcome) SELECT $1, 'treasury', number, now(), 1, 'timeout' FROM generate_series(1, 101) AS number`,
      [uuidOf('pending')],
    );
    const { attemptLog, hasEarlierAttempts } = await show('pending');
    expect([attemptLog.length, attemptLog[0]?.number, hasEarlierAttempts]).toEqual([100, 2, true]);
  });

  it('shows the events of a digest', async () => {
    expect(await show('digest')).toMatchObject({
      type: 'settlementbus.delivery.digest.v1',
      participant: '*',
      digestEvents: [uuidOf('grouped'), uuidOf('foreign')],
    });
  });

  it.each(['unknown/treasury', 'a%00/treasury', `${uuidOf('delivered')}/pager`])(
    'responds to %s with 404',
    async (path) => {
      expect((await api.get(`/v1/deliveries/${path}`)).status).toBe(404);
    },
  );
});

describe('a request about deliveries', () => {
  afterEach(() => api.tables.admin.query('TRUNCATE request'));

  const requested = async (path: string, body: object, token = api.operator): Promise<unknown> => {
    const { status } = await api.post(`/v1${path}`, body, { token });
    expect(status).toBe(202);
    const { kind, parameters, author } = await carryOutNext(api.tables);
    return [kind, parameters, author];
  };

  it('names what is selected', async () => {
    const selection = { sink: 'treasury', states: ['parked'], types: ['margin.breached', 'delivery.digest'] };
    expect(
      await requested('/deliveries/resend', { ...selection, since: '2026-03-02T08:00:00+08:00' }),
    ).toEqual([
      'resend',
      {
        ...selection,
        types: ['settlementbus.margin.breached.v1', 'settlementbus.delivery.digest.v1'],
        since: '2026-03-02T00:00:00.000Z',
      },
      'olivia',
    ]);
    expect(await requested('/deliveries/skip', { events: [uuidOf('pending')] })).toEqual([
      'skip',
      { ids: [uuidOf('pending')] },
      'olivia',
    ]);
    expect(await requested('/replay', { sink: 'warehouse', since: DAY })).toEqual([
      'replay',
      { sink: 'warehouse', since: '2026-03-02T00:00:00.000Z' },
      'olivia',
    ]);
  });

  it('of a caller of one participant is about this one only, and about no digest', async () => {
    expect(
      await requested('/deliveries/resend', { events: [DIGEST, uuidOf('foreign')] }, api.limited),
    ).toEqual(['resend', { ids: [DIGEST, uuidOf('foreign')], participants: [OWN], digests: false }, 'wendy']);
    expect(await requested('/replay', { sink: 'pager', since: DAY }, api.limited)).toEqual([
      'replay',
      { sink: 'pager', since: '2026-03-02T00:00:00.000Z', participants: [OWN] },
      'wendy',
    ]);
  });

  it('of such a caller names no other participant, and no sink that has had nothing of its own', async () => {
    await deliver('elsewhere', FOREIGN, { sink: 'foreign-desk' });
    const refusalOf = async (body: object): Promise<unknown> => {
      const { status, body: text } = await api.post(
        '/v1/deliveries/skip',
        { since: DAY, ...body },
        { token: api.limited },
      );
      return [status, text];
    };
    expect(await refusalOf({ sink: 'foreign-desk' })).toEqual(await refusalOf({ sink: 'unknown' }));
    expect(await refusalOf({ participants: [FOREIGN] })).toEqual(
      await refusalOf({ participants: ['UNKNOWN'] }),
    );
    for (const body of [{ sink: 'unknown' }, { participants: ['UNKNOWN'] }])
      expect(await refusalOf(body)).toEqual([422, expect.stringContaining(OWN)]);
    expect(await refusalOf({ events: ['ffffff'] })).toEqual([
      422,
      expect.stringContaining('none begins with ffffff. /v1/deliveries lists them.'),
    ]);
  });

  it.each<[string, object]>([
    ['/deliveries/resend', {}],
    ['/deliveries/resend', { sink: 'treasury' }],
    ['/deliveries/resend', { states: ['pending'] }],
    ['/deliveries/skip', { states: ['delivered'] }],
    ['/deliveries/skip', { states: [] }],
    ['/deliveries/skip', { events: ['\u0000'] }],
    ['/deliveries/skip', { types: ['margin.unknown'] }],
    ['/deliveries/skip', { since: DAY, until: DAY }],
    ['/deliveries/skip', { since: DAY, unknown: 1 }],
    ['/replay', { since: DAY }],
    ['/replay', { sink: 'treasury' }],
  ])('%s refuses %j', async (path, body) => {
    expect((await api.post(`/v1${path}`, body)).status).toBe(422);
  });

  it('is only for operators', async () => {
    for (const path of ['/deliveries/resend', '/deliveries/skip', '/replay'])
      expect((await api.post(`/v1${path}`, { since: DAY }, { token: api.viewer })).status).toBe(403);
  });
});

describe('the sinks', () => {
  const sinks = async (token = api.viewer): Promise<readonly SinkRow[]> =>
    (await api.get('/v1/sinks', { token })).json<{ items: SinkRow[] }>().items;

  it('are those of CONFIG_FILE and those that have had deliveries', async () => {
    await api.tables.admin.query(
      `INSERT INTO delivery_subject (sink, subject, pending, next_attempt_at) VALUES ('treasury', 'a', 1, now()), ('treasury', 'b', 2, now())`,
    );
    await api.tables.admin.query(
      `INSERT INTO sink_state (sink, failing_since, last_outcome) VALUES ('treasury', now(), 'unreachable: 10.0.0.1:443 refused')`,
    );
    await api.tables.admin.query(
      `INSERT INTO sink_state (sink, disabled_at, disabled_by, disabled_reason) VALUES ('former', now(), 'jane', 'gone')`,
    );
    const found = await sinks();
    expect(found.find(({ name }) => name === 'treasury')).toMatchObject({
      state: 'failing',
      pending: 3,
      parked: 1,
      oldestPendingAt: expect.any(String),
      lastOutcome: 'unreachable',
    });
    expect(found.find(({ name }) => name === 'former')).toEqual({
      name: 'former',
      inConfigFile: false,
      state: 'disabled',
      pending: 0,
      parked: 0,
      disabledAt: expect.any(String),
      disabledBy: 'jane',
      disabledReason: 'gone',
    });
    expect(found.find(({ kind }) => kind === 'log')).toMatchObject({ inConfigFile: true, pending: 0 });
    const after = (await api.get(`/v1/sinks?cursor=former`)).json<{ items: SinkRow[] }>().items;
    expect(after).toEqual(found.slice(found.findIndex(({ name }) => name === 'former') + 1));
  });

  it.each([
    ['test', 'test', {}],
    ['enable', 'enable-sink', {}],
    ['disable', 'disable-sink', { comment: 'maintenance' }],
  ])('%s is a request', async (action, kind, body) => {
    const { status } = await api.post(`/v1/sinks/treasury/${action}`, body);
    expect([status, await carryOutNext(api.tables)]).toMatchObject([
      202,
      { kind, parameters: { sink: 'treasury' }, author: 'olivia' },
    ]);
  });

  it('need a reason to be disabled', async () => {
    expect((await api.post('/v1/sinks/treasury/disable', {})).status).toBe(422);
  });

  it('need access to all participants', async () => {
    const token = api.limited;
    expect((await api.get('/v1/sinks', { token })).status).toBe(403);
    expect((await api.post('/v1/sinks/treasury/test', {}, { token })).status).toBe(403);
  });
});
