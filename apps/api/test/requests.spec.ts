import { waitFor } from '@ssb/testing';
import { carryOutNext } from './support/played-subscriber.js';
import { RunningApi, type Listed } from './support/running-api.js';

let api: RunningApi;
const REBUILD = '/v1/problems/rebuild';

beforeAll(async () => {
  api = await RunningApi.start();
});
afterEach(() => api.tables.admin.query('TRUNCATE request, replica CASCADE'));
afterAll(() => api.close());

describe('a request', () => {
  it('is stored, and shows its state and what the audit log has of it', async () => {
    const added = await api.post(REBUILD, { comment: 'after a restore' });
    expect([added.status, added.json()]).toEqual([
      202,
      {
        id: expect.any(String),
        kind: 'rebuild-problems',
        state: 'waiting',
        requestedAt: expect.any(String),
        author: 'olivia',
        comment: 'after a restore',
        parameters: {},
      },
    ]);
    const address = added.headers.get('location') ?? '';
    expect((await api.get(address)).json()).toMatchObject({
      state: 'waiting',
      subscriberRuns: false,
      steps: [{ step: 'requested', author: 'olivia', databaseRole: 'api' }],
    });
    const ending = api.get(`${address}?wait=30`);
    await carryOutNext(api.tables, 'done', { problems: 2, archiveOffset: '17' });
    expect((await ending).json()).toMatchObject({
      state: 'done',
      result: { problems: 2 },
      steps: [{ step: 'requested' }, { step: 'done', result: { problems: 2 } }],
    });
    expect((await ending).body).not.toContain('archiveOffset');
  });

  it.each([
    ['?wait=30', {}],
    ['', { prefer: 'respond-async, wait=30' }],
  ])('is awaited with %s %j', async (query, headers) => {
    const added = api.post(REBUILD + query, {}, { headers });
    await carryOutNext(api.tables, 'done', { problems: 2 });
    const { status, json } = await added;
    expect([status, json()['result']]).toEqual([200, { problems: 2 }]);
  });

  it.each([
    ['refused', 409],
    ['failed', 502],
  ] as const)('that is %s gets %i with the reason of the subscriber', async (outcome, expected) => {
    const added = api.post(`${REBUILD}?wait=30`, {});
    await carryOutNext(api.tables, outcome, { reason: 'It is Sunday.' });
    const { status, json } = await added;
    expect([status, json()]).toEqual([
      expected,
      expect.objectContaining({ detail: 'It is Sunday.', request: expect.any(String) }),
    ]);
  });

  it('that is stored is 202 also when it cannot be read any more', async () => {
    const { admin } = api.tables;
    const added = api.post(`${REBUILD}?wait=30`, {});
    await waitFor('the request', async () => (await admin.query('SELECT FROM request')).length > 0);
    await admin.query('REVOKE SELECT ON request FROM api');
    const { status, headers, json } = await added;
    await admin.query('GRANT SELECT ON request TO api');
    const [row] = await admin.query<{ id: string }>('SELECT request_key AS id FROM request');
    expect([status, json(), headers.get('location')]).toEqual([
      202,
      expect.objectContaining({ id: row?.id, state: 'waiting' }),
      `/v1/requests/${row?.id}`,
    ]);
  });

  it.each([
    ['a viewer', {}, '', 403],
    ['a wait that is too long', {}, '?wait=31', 422],
    ['an unknown parameter', {}, '?until=1', 422],
    ['a comment that cannot be stored', { comment: 'a\0b' }, '', 422],
    ['a comment that is too long', { comment: 'a'.repeat(2_001) }, '', 422],
  ])('with %s is refused', async (what, body, query, expected) => {
    const token = what === 'a viewer' ? api.viewer : api.operator;
    expect((await api.post(REBUILD + query, body, { token })).status).toBe(expected);
    expect(await api.tables.admin.query('SELECT FROM request')).toEqual([]);
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain'])(
    'of a form of another page is refused: %s',
    async (type) => {
      const { status, json } = await api.post(REBUILD, 'comment=bye', { headers: { 'content-type': type } });
      expect([status, json()['detail']]).toEqual([415, expect.stringContaining('application/json')]);
      expect(await api.tables.admin.query('SELECT FROM request')).toEqual([]);
    },
  );

  it('is refused when 1000 are open', async () => {
    await api.tables.admin.query(
      `SET session_replication_role = replica; INSERT INTO request (kind, author) SELECT 'close', 'x' FROM generate_series(1, 1000); RESET session_replication_role`,
    );
    const { status, json } = await api.post(REBUILD, {});
    expect([status, json()['detail']]).toEqual([503, expect.stringContaining('1000 open requests')]);
  });
});

it('lists requests, the newest first, in pages', async () => {
  const add = async (): Promise<unknown> => (await api.post(REBUILD, {})).json()['id'];
  const ids = [await add(), await add(), await add()];
  const first = (await api.get('/v1/requests?limit=2&state=waiting&author=olivia')).json<Listed>();
  expect(first.items.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
  const second = (await api.get(`/v1/requests?limit=2&cursor=${first.next}`)).json<Listed>();
  expect([second.items.map(({ id }) => id), second.next]).toEqual([[ids[0]], undefined]);
  expect((await api.get('/v1/requests?author=nobody')).json<Listed>().items).toEqual([]);
});

describe('a caller of some participants', () => {
  const insert = async (author: string, kind: string, parameters: object): Promise<string> => {
    const [row] = await api.tables.admin.query<{ id: string }>(
      'INSERT INTO request (kind, author, parameters) VALUES ($1, $2, $3::jsonb) RETURNING request_key AS id',
      [kind, author, JSON.stringify(parameters)],
    );
    return row?.id ?? '';
  };

  it('sees its own requests about its participants alone', async () => {
    const token = api.limited;
    const own = await insert('wendy', 'resend', { participants: ['WPGENCO'] });
    const hidden = [
      await insert('wendy', 'resend', { participants: ['WPGENCO', 'OTHER'] }),
      await insert('wendy', 'resend', { sink: 'desk' }),
      await insert('wendy', 'silence', { matchers: { types: ['margin.*'] } }),
      await insert('wendy', 'end-silence', { silenceId: 'x' }),
      await insert('wendy', 'acknowledge', { problemId: 'x' }),
      await insert('wendy', 'rebuild-problems', {}),
      await insert('olivia', 'resend', { participants: ['WPGENCO'] }),
    ];
    const listed = (await api.get('/v1/requests', { token })).json<Listed>();
    expect(listed.items.map(({ id }) => id)).toEqual([own]);
    const twin = `${own.slice(0, 8)}-0000-4000-8000-000000000000`;
    await api.tables.admin.query(
      `INSERT INTO request (request_key, kind, author) VALUES ($1, 'close', 'olivia')`,
      [twin],
    );
    const shortened = `/v1/requests/${own.slice(0, 8).toUpperCase()}`;
    expect((await api.get(shortened, { token })).json()['id']).toBe(own);
    expect((await api.get(shortened)).status).toBe(409);
    const missing = await api.get('/v1/requests/11111111-1111-4111-8111-111111111111', { token });
    for (const id of hidden) {
      const { status, body } = await api.get(`/v1/requests/${id}`, { token });
      expect([status, body]).toEqual([404, missing.body]);
      expect((await api.get(`/v1/requests?cursor=${id}`, { token })).status).toBe(422);
    }
    expect((await api.post(REBUILD, {}, { token })).status).toBe(403);
  });
});
