import { parse } from 'csv-parse/sync';
import { uuidOf } from '@ssb/testing/archived-events';
import { carryOutNext } from './support/played-subscriber.js';
import { RunningApi, type Listed } from './support/running-api.js';
import { carryOutSilence, storeProblem, storeSilence } from './support/stored-problems.js';

let api: RunningApi;
let database: RunningApi['tables']['admin'];
const ids: Record<string, string> = {};

beforeAll(async () => {
  api = await RunningApi.start();
  database = api.tables.admin;
  for (const [name, problem] of Object.entries({
    warning: { severity: 'warning', openedAt: '2026-03-01T00:00:00Z' },
    breach: { openedAt: '2026-03-01T00:00:00.000002Z' },
    later: { openedAt: '2026-03-01T00:00:00.000003Z' },
    handled: { state: 'acknowledged' },
    ended: { state: 'resolved', endedAt: '2026-03-03T00:00:00Z' },
    endedBefore: { state: 'closed', endedAt: '2026-03-02T00:00:00Z' },
    foreign: { participant: 'OTHER' },
    ofBridge: { participant: '*', kind: 'bridge-fault', severity: 'info' },
  } as const))
    ids[name] = await storeProblem(database, name, problem);
});
afterEach(async () => {
  await database.query('UPDATE request SET finished_at = now(), outcome = $1 WHERE finished_at IS NULL', [
    'failed',
  ]);
});
afterAll(() => api.close());

/** Names of all problems of a listing, which is read in pages. */
async function listNames(query: string, token = api.viewer): Promise<string[]> {
  const names: string[] = [];
  let cursor = '';
  do {
    const page = (await api.get(`/v1/problems?limit=1&${query}${cursor}`, { token })).json<Listed>();
    names.push(
      ...page.items.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id) ?? `unknown ${id}`),
    );
    cursor = page.next === undefined ? '' : `&cursor=${page.next}`;
  } while (cursor !== '');
  return names;
}

const ALL = 'state=open&state=acknowledged&state=resolved&state=closed';

describe('the listing of problems', () => {
  it.each([
    ['', ['foreign', 'later', 'breach', 'warning', 'ofBridge', 'handled']],
    [ALL, ['foreign', 'later', 'breach', 'warning', 'ofBridge', 'handled', 'ended', 'endedBefore']],
    ['state=closed', ['endedBefore']],
    ['severity=warning&severity=info', ['warning', 'ofBridge']],
    ['kind=bridge-fault', ['ofBridge']],
    ['participant=OTHER&participant=*', ['foreign', 'ofBridge']],
    ['since=2026-03-01T00:00:00.001Z', ['foreign', 'ofBridge', 'handled']],
  ])('has with %j: %j', async (query, expected) => {
    expect(await listNames(query)).toEqual(expected);
  });

  it('has what belongs to the participants of the caller', async () => {
    const own = ['later', 'breach', 'warning', 'handled', 'ended', 'endedBefore'];
    expect(await listNames(ALL, api.limited)).toEqual(own);
    expect(await listNames(`${ALL}&participant=OTHER`, api.limited)).toEqual([]);
  });

  it('is CSV for a spreadsheet', async () => {
    const { body } = await api.get('/v1/problems?severity=warning', { headers: { accept: 'text/csv' } });
    expect(parse(body, { columns: true })).toEqual([
      expect.objectContaining({
        id: ids['warning'],
        openedAt: '2026-03-01T00:00:00.000Z',
        worstMeasure: '-7.5',
        level: '',
      }),
    ]);
  });

  it.each(['state=ended', 'cursor=1', 'cursor=0.1.2026-99-01T00:00:00.000000Z.x', 'participant=%00'])(
    'refuses %s',
    async (query) => {
      expect((await api.get(`/v1/problems?${query}`)).status).toBe(422);
    },
  );
});

describe('a problem', () => {
  it('shows who was notified and whether they accepted it', async () => {
    const send = (sink: string, columns: string, values: string): Promise<unknown> =>
      database.query(
        `INSERT INTO delivery (event_id, sink, kind, subject, sequence, archive_offset, problem_id, severity, ${columns})
         SELECT $2, $3, 'alert', subject, sequence, archive_offset, $1, 'critical', ${values} FROM archive WHERE event_id = $2`,
        [ids['breach'] ?? '', uuidOf('event of breach'), sink],
      );
    await send(
      'desk',
      'attempts, last_outcome, delivered_at',
      `2, 'delivered, status 200', '2026-03-01T00:00:05Z'`,
    );
    await send('pager', 'attempts, last_outcome', `3, 'unreachable: connect ECONNREFUSED 10.0.0.1'`);
    const read = async (token: string): Promise<unknown> =>
      (await api.get(`/v1/problems/${ids['breach']}`, { token })).json()['deliveries'];
    const desk = {
      eventId: uuidOf('event of breach'),
      sink: 'desk',
      state: 'delivered',
      kind: 'alert',
      severity: 'critical',
      addedAt: expect.any(String) as unknown,
      attempts: 2,
      lastOutcome: 'delivered, status 200',
      acceptedAt: '2026-03-01T00:00:05.000Z',
    };
    const pager = { sink: 'pager', state: 'pending', attempts: 3, lastOutcome: 'unreachable' };
    expect(await read(api.viewer)).toEqual(
      expect.arrayContaining([desk, expect.objectContaining(pager)]) as unknown,
    );
    expect(JSON.stringify(await read(api.operator))).toContain('10.0.0.1');
  });

  it('shows of a digest only when it was accepted to a caller of some participants', async () => {
    await database.query(
      `INSERT INTO delivery (event_id, sink, kind, subject, sequence, archive_offset, problem_id, delivered_at, attempts, last_outcome, withheld, digest_id, details)
       SELECT id, 'mail', kind, subject, sequence, archive_offset, problem_id, delivered_at::timestamptz, attempts, last_outcome, withheld, digest_id, details::json
       FROM archive, (VALUES
         ($1, 'notice', $2, '2026-03-01T00:00:00Z', 0, NULL, 'grouped', 'digest', NULL),
         ('digest', 'notice', NULL, '2026-03-01T00:01:00Z', 4, 'delivered, status 202', NULL, NULL, '{"delivery": "digest"}')
       ) AS given (id, kind, problem_id, delivered_at, attempts, last_outcome, withheld, digest_id, details) WHERE archive.event_id = $1`,
      [uuidOf('event of warning'), ids['warning'] ?? ''],
    );
    const read = async (token: string): Promise<unknown> =>
      (await api.get(`/v1/problems/${ids['warning']}`, { token })).json()['deliveries'];
    const accepted = { sink: 'mail', state: 'delivered', acceptedAt: '2026-03-01T00:01:00.000Z' };
    expect(await read(api.viewer)).toEqual([
      expect.objectContaining({ ...accepted, attempts: 4, lastOutcome: 'delivered, status 202' }),
    ]);
    const own = await read(api.limited);
    expect(own).toEqual([expect.objectContaining({ ...accepted, attempts: 0 })]);
    expect(JSON.stringify(own)).not.toContain('lastOutcome');
  });

  it('is found by the beginning of its id among those that the caller may see', async () => {
    const beginning = (ids['breach'] ?? '').slice(0, 6).toUpperCase();
    const twin = `${beginning.toLowerCase()}00-0000-4000-8000-000000000000`;
    await database.query(
      `INSERT INTO problem SELECT (json_populate_record(problem, json_build_object('problem_id', $2::text, 'participant', 'OTHER', 'key', 'twin'))).* FROM problem WHERE problem_id = $1`,
      [ids['breach'] ?? '', twin],
    );
    expect((await api.get(`/v1/problems/${beginning}`)).status).toBe(409);
    const own = await api.get(`/v1/problems/${beginning}`, { token: api.limited });
    expect(own.json()).toMatchObject({
      id: ids['breach'],
      figures: { margin: '-5.00000001' },
      worstFigures: { margin: '-7.5' },
      changes: [{ number: 1, kind: 'opened', type: 'settlementbus.margin.breached.v1' }],
      moreChanges: false,
      silences: [],
    });
    await database.query('DELETE FROM problem WHERE problem_id = $1', [twin]);
  });

  it('of another participant is as one that does not exist', async () => {
    const missing = uuidOf('missing');
    for (const id of [ids['foreign'], ids['ofBridge'], missing.slice(0, 7), 'x']) {
      const options = { token: api.limited };
      const expected = await api.get(`/v1/problems/${missing}`, options);
      const { status, body } = await api.get(`/v1/problems/${id}`, options);
      expect([status, body]).toEqual([404, expected.body]);
      for (const action of ['acknowledge', 'close'])
        expect((await api.post(`/v1/problems/${id}/${action}`, { comment: 'x' }, options)).status).toBe(404);
    }
    expect(await database.query('SELECT FROM request WHERE finished_at IS NULL')).toEqual([]);
  });

  it('is acknowledged and closed by requests in the name of the caller', async () => {
    const address = `/v1/problems/${ids['breach']}`;
    const token = api.limited;
    const acknowledged = api.post(`${address.slice(0, -20)}/acknowledge?wait=30`, {}, { token });
    const result = { problemId: ids['breach'], state: 'acknowledged', archiveOffset: '5' };
    expect(await carryOutNext(api.tables, 'done', result)).toEqual({
      kind: 'acknowledge',
      parameters: { problemId: ids['breach'] },
      author: 'wendy',
      comment: null,
    });
    expect((await acknowledged).json()).toMatchObject({
      state: 'done',
      result: { problemId: ids['breach'], state: 'acknowledged' },
    });
    expect((await api.post(`${address}/close`, {}, { token })).status).toBe(422);
    const closed = await api.post(`${address}/close`, { comment: 'settled' }, { token });
    expect([closed.status, closed.json()['comment']]).toEqual([202, 'settled']);
    const listed = (await api.get('/v1/requests', { token })).json<Listed>().items;
    expect(listed.map(({ id }) => id)).toEqual([closed.json()['id'], (await acknowledged).json()['id']]);
  });
});

describe('a silence', () => {
  it('is listed with what it hides, for callers that may see all that it names', async () => {
    const own = await storeSilence(database, { participants: ['WPGENCO'] }, { hides: [ids['breach'] ?? ''] });
    const both = await storeSilence(database, { participants: ['WPGENCO', 'OTHER'] });
    const over = await storeSilence(database, { types: ['margin.*'] }, { over: true });
    const list = async (query: string, token: string): Promise<string[]> =>
      (await api.get(`/v1/silences?${query}`, { token })).json<Listed>().items.map(({ id }) => id);
    expect(await list('', api.viewer)).toEqual([both, own]);
    expect(await list('all=true', api.viewer)).toEqual([over, both, own]);
    expect(await list(`limit=1&cursor=${both}`, api.viewer)).toEqual([own]);
    expect(await list('all=true', api.limited)).toEqual([own]);
    const token = api.limited;
    expect((await api.get(`/v1/silences/${own}`, { token })).json()).toMatchObject({
      state: 'active',
      matchers: { participants: ['WPGENCO'] },
      hides: [ids['breach']],
    });
    for (const path of [`/${both}`, `/${over}`, `/${uuidOf('missing')}`])
      expect((await api.get(`/v1/silences${path}`, { token })).status).toBe(404);
    expect((await api.get(`/v1/silences?cursor=${both}`, { token })).status).toBe(422);
    for (const [problem, silences] of [
      [ids['warning'], [both, own]],
      [ids['breach'], [both, own]],
      [ids['ended'], []],
    ] as const)
      expect(
        (await api.get(`/v1/problems/${problem}`))
          .json<{ silences: Listed['items'] }>()
          .silences.map(({ id }) => id),
      ).toEqual(silences);
  });

  it('is added and ended by requests, under the id of the first one', async () => {
    const token = api.limited;
    const silence = {
      matchers: { participants: ['WPGENCO'], types: ['margin.*'] },
      for: '4h',
      comment: 'late',
    };
    const added = await api.post('/v1/silences', silence, { token });
    expect(await carryOutNext(api.tables)).toEqual({
      kind: 'silence',
      parameters: {
        matchers: { participants: ['WPGENCO'], types: ['settlementbus.margin.*'] },
        seconds: 14_400,
      },
      author: 'wendy',
      comment: 'late',
    });
    const { id } = added.json<{ id: string }>();
    await carryOutSilence(database, id);
    const ended = await api.post(`/v1/silences/${id}/end`, { comment: 'published' }, { token });
    expect([ended.status, ended.json()['parameters']]).toEqual([202, { silenceId: id }]);
    await database.query('UPDATE silence SET ended_at = now(), ended_by = $2 WHERE silence_key = $1', [
      id,
      'x',
    ]);
    expect((await api.post(`/v1/silences/${id}/end`, {}, { token })).status).toBe(409);
    expect((await api.post(`/v1/silences/${uuidOf('missing')}/end`, {}, { token })).status).toBe(404);
  });

  it.each([
    ['nothing that it covers', { matchers: {} }],
    ['another participant', { matchers: { participants: ['WPGENCO', 'OTHER'] } }],
    ['no participant', { matchers: { types: ['margin.*'] } }],
    ['a type that no event has', { matchers: { participants: ['WPGENCO'], types: ['margin.broken'] } }],
    ['an unknown matcher', { matchers: { participants: ['WPGENCO'], sinks: ['x'] } }],
    ['no end', { for: undefined }],
    ['two ends', { endsAt: '2026-12-01T00:00:00Z' }],
    ['a length of nothing', { for: '0s' }],
    ['no comment', { comment: undefined }],
  ])('with %s is refused', async (_what, change) => {
    const silence = { matchers: { participants: ['WPGENCO'] }, for: '4h', comment: 'late', ...change };
    expect((await api.post('/v1/silences', silence, { token: api.limited })).status).toBe(422);
    expect(await database.query('SELECT FROM request WHERE finished_at IS NULL')).toEqual([]);
  });
});
