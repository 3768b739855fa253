import { createLogger } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import { ActionAudit, type Action, type ActionEnd } from '../src/audit/action-audit.js';
import type { AuditRow } from '../src/audit/audit-dto.js';
import { RunningApi } from './support/running-api.js';
import { storeSilence } from './support/stored-problems.js';

let api: RunningApi;
let database: Database;
let audit: ActionAudit;

beforeAll(async () => {
  api = await RunningApi.start();
  database = new Database({ url: api.tables.apiUrl, schema: 'subscriber', connections: 1 });
  audit = new ActionAudit(database, createLogger({ name: 'api', level: 'silent', format: 'json' }));
});
afterAll(async () => {
  await database.close();
  await api.close();
});

const RETRY: Action = {
  kind: 'retry-dead-letter',
  parameters: { job: '7' },
  author: 'olivia',
  comment: 'why',
};

const list = async (query: string, token = api.viewer): Promise<readonly AuditRow[]> =>
  (await api.get(`/v1/audit?${query}`, { token })).json<{ items: AuditRow[] }>().items;

/** What the audit table has of the action of this kind, the newest first. */
const steps = async (kind: string): Promise<unknown[]> =>
  (await list(`kind=${kind}`)).map(({ step, result }) => (result === undefined ? [step] : [step, result]));

describe('an action', () => {
  it('is recorded when it begins and when it ends, with the role that recorded it', async () => {
    await audit.carryOut(RETRY, () => Promise.resolve<ActionEnd>({ outcome: 'done', result: { jobs: 1 } }));
    const [end, begin] = await list('kind=retry-dead-letter');
    expect(begin).toEqual({
      ...RETRY,
      id: expect.any(String),
      at: expect.any(String),
      step: 'requested',
      databaseRole: 'api',
      actionId: expect.any(String),
    });
    expect(end).toEqual({
      ...begin,
      id: expect.any(String),
      at: expect.any(String),
      step: 'done',
      result: { jobs: 1 },
    });
  });

  it('has an unknown outcome when its work throws', async () => {
    const failed = audit.carryOut({ ...RETRY, kind: 'start-backfill' }, () =>
      Promise.reject(new Error('lost')),
    );
    await expect(failed).rejects.toThrow('lost');
    expect(await steps('start-backfill')).toEqual([['unknown'], ['requested']]);
  });

  it('is not carried out when its beginning cannot be recorded', async () => {
    const work = jest.fn<Promise<ActionEnd>, []>();
    await expect(audit.carryOut({ ...RETRY, kind: 'Not a kind' }, work)).rejects.toMatchObject({
      code: '23514',
    });
    expect(work).not.toHaveBeenCalled();
  });

  it('is the only thing that the role api can write to the audit table', async () => {
    for (const sql of [
      `INSERT INTO audit (action_id, kind, step, parameters, author, database_role) VALUES (gen_random_uuid(), 'a', 'done', '{}', 'a', 'postgres')`,
      `UPDATE audit SET author = 'a'`,
      'DELETE FROM audit',
    ])
      await expect(database.query(sql)).rejects.toMatchObject({ code: '42501' });
  });
});

describe('record_action', () => {
  const ID = '11111111-1111-4111-8111-111111111111';
  const record = (id: string, kind: string, step: string, author: string) =>
    database.query(`SELECT record_action($1, $2, $3, '{}', $4, NULL, NULL)`, [id, kind, step, author]);
  beforeAll(() => record(ID, 'cancel-backfill', 'requested', 'olivia'));

  it.each([
    ['a request', ID.replace('1', '2'), 'acknowledge', 'requested', 'olivia', '23514'],
    ['an end without a beginning', ID.replace('1', '2'), 'cancel-backfill', 'done', 'olivia', '23503'],
    ['an end of another kind', ID, 'start-backfill', 'done', 'olivia', '23503'],
    ['an end of another author', ID, 'cancel-backfill', 'done', 'victor', '23503'],
    ['a second beginning', ID, 'cancel-backfill', 'requested', 'olivia', '23505'],
  ])('refuses %s', async (_, id, kind, step, author, code) => {
    await expect(record(id, kind, step, author)).rejects.toMatchObject({ code });
  });

  it('records one end of an action', async () => {
    await record(ID, 'cancel-backfill', 'done', 'olivia');
    await expect(record(ID, 'cancel-backfill', 'failed', 'olivia')).rejects.toMatchObject({ code: '23505' });
  });
});

describe('GET /v1/audit', () => {
  beforeAll(async () => {
    await api.tables.admin.query(
      `INSERT INTO request (kind, parameters, author) VALUES ('test', '{"sink": "treasury"}', 'jane')`,
    );
    await api.tables.admin.query(
      `UPDATE request SET finished_at = now(), outcome = 'done', result = '{"status": 200, "response": "internal", "description": "at 10.0.0.1"}' WHERE kind = 'test'`,
    );
  });

  it('lists requests with the id of the request, in pages', async () => {
    const [{ requestId } = { requestId: '' }] = await api.tables.admin.query<{ requestId: string }>(
      'SELECT request_key::text AS "requestId" FROM request',
    );
    const first = (await api.get('/v1/audit?author=jane&limit=1')).json<{
      items: AuditRow[];
      next: string;
    }>();
    expect(first.items).toMatchObject([{ step: 'done', kind: 'test', requestId, databaseRole: 'postgres' }]);
    const rest = await list(`author=jane&cursor=${first.next}`);
    expect(rest).toMatchObject([{ step: 'requested', requestId, parameters: { sink: 'treasury' } }]);
  });

  it('chooses records by their time', async () => {
    const [newest] = await list('limit=1');
    const at = String(newest?.at);
    expect(await list(`since=${at}`)).toContainEqual(newest);
    const earlier = await list(`until=${at}`);
    expect(earlier).not.toEqual([]);
    expect(earlier.filter((row) => String(row.at) >= at)).toEqual([]);
    expect(await list('since=2100-01-01T00:00:00Z')).toEqual([]);
  });

  it('shows the response of a sink only to operators', async () => {
    const [row] = await list('kind=test&limit=1');
    expect(row?.result).toEqual({ status: 200 });
    expect((await api.get(`/v1/requests/${row?.requestId}`)).json()).toMatchObject({
      result: row?.result,
      steps: [{ step: 'requested' }, { result: row?.result }],
    });
    expect(await list('kind=test&limit=1', api.operator)).toMatchObject([
      { result: { response: 'internal', description: 'at 10.0.0.1' } },
    ]);
  });

  it('names a silence by its id in /v1/silences', async () => {
    const silenceId = await storeSilence(api.tables.admin, {});
    await api.tables.admin.query(
      `INSERT INTO request (kind, parameters, author)
       SELECT 'end-silence', jsonb_build_object('silenceId', request_id), 'sam' FROM request WHERE request_key = $1`,
      [silenceId],
    );
    await api.tables.admin.query(
      `UPDATE request SET finished_at = now(), outcome = 'done', result = parameters WHERE author = 'sam'`,
    );
    expect(await list('author=sam')).toMatchObject([
      { step: 'done', parameters: { silenceId }, result: { silenceId } },
      { step: 'requested', parameters: { silenceId } },
    ]);
  });

  it.each(['"x"', 'null', '[1]'])('leaves out parameters and a result of %s', async (json) => {
    await api.tables.admin.query(
      `INSERT INTO request (kind, parameters, author) VALUES ('replay', $1::jsonb, 'paul')`,
      [json],
    );
    await api.tables.admin.query(
      `UPDATE request SET finished_at = now(), outcome = 'done', result = parameters WHERE author = 'paul' AND finished_at IS NULL`,
    );
    const [{ requestId } = {}] = await list('author=paul&limit=1');
    expect(await list('author=paul&limit=2')).toMatchObject([{ step: 'done' }, { parameters: {} }]);
    expect((await api.get(`/v1/requests/${requestId}`)).json()).toMatchObject({ parameters: {} });
    expect((await api.get('/v1/requests?limit=1')).json()).toMatchObject({ items: [{ id: requestId }] });
  });

  it('needs access to all participants', async () => {
    expect((await api.get('/v1/audit', { token: api.limited })).status).toBe(403);
  });

  it.each(['cursor=-1', 'cursor=a', 'kind=Test', 'author=%00'])('refuses %s', async (query) => {
    expect((await api.get(`/v1/audit?${query}`)).status).toBe(422);
  });
});
