import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { startScriptedServer, waitFor } from '@ssb/testing';
import { uuidOf } from '@ssb/testing/archived-events';
import { BREACH, createExample, OVERDUE, rowsOf } from './support/example.js';
import { PROGRAM, runCommand } from './support/run-command.js';
import { startApi, type RunningApi } from './support/running-api.js';
import type { SubscriberTables } from './support/subscriber-tables.js';

const OBEYED = /(?!\n)[\p{Cc}\p{Cf}]/u;

let tables: SubscriberTables;
let api: RunningApi;

beforeAll(async () => {
  tables = await createExample();
  api = await startApi(tables);
});
afterAll(async () => {
  await api.stop();
  await tables.close();
});

describe('busbridge problems', () => {
  it('lists the open ones, the worst first, and ended ones with --all, with escaped names', async () => {
    const { stdout } = await api.run('problems', 'list');
    expect(rowsOf(stdout)).toEqual([
      [
        'aaaaaa11',
        'critical',
        'margin',
        'WPGENCO',
        'open',
        '2025-12-31 16:00:00Z',
        'BREACHED -120.50',
        'prudential',
      ],
      ['aaaaaa22', 'warning', 'statement-overdue', 'WPGENCO', 'open', '2026-01-02 16:00:00Z', '\\u001b[2J'],
    ]);
    expect(stdout).not.toMatch(OBEYED);
    const first = await api.run('problems', 'list', '--all', '--limit', '1', '--json');
    const page = JSON.parse(first.stdout) as { items: object[]; next: string };
    expect(page.items).toMatchObject([{ id: BREACH }]);
    const rest = await api.run('problems', 'list', '--all', '--cursor', page.next, '--json');
    expect(JSON.parse(rest.stdout)).toMatchObject({ items: [{ id: OVERDUE }, { state: 'resolved' }] });
    expect((await api.run('problems', 'list', '--participant', '*')).stdout).toBe('No problems match.\n');
  });

  it('keeps id, state and what it is about in a narrow terminal', async () => {
    const environment = { BUSBRIDGE_URL: api.url, BUSBRIDGE_TOKEN: api.tokens.olivia, COLUMNS: '80' };
    const { stdout } = await runCommand(['problems', 'list', '--all'], environment);
    expect(stdout).toMatch(/^bbbbbb33 +critical +margin +OTHER +resolved +prudential$/m);
    expect(stdout).toMatch(/^Left out at this width: since, worst\./m);
  });

  it('says what the credentials see, and refuses another participant', async () => {
    expect((await api.runAs('wendy', 'problems', 'list', '--severity', 'info')).stdout).toBe(
      'No problems match.\nThe credentials see only WPGENCO.\n',
    );
    for (const command of ['problems list', 'positions', 'calendar --published', 'events tail'])
      expect(await api.runAs('wendy', ...command.split(' '), '--participant', 'OTHER')).toEqual({
        status: 2,
        stdout: '',
        stderr: 'The credentials see only WPGENCO: --participant must be one of these.\n',
      });
  });

  it('lists them as CSV of one head', async () => {
    const { stdout } = await api.run('problems', 'list', '--all', '-o', 'csv');
    expect(stdout.match(/^id,/gm)).toHaveLength(1);
    expect(stdout.trim().split('\r\n')).toHaveLength(4);
  });

  it('shows one with its history, and who was notified and accepted', async () => {
    const { stdout } = await api.run('problems', 'show', 'AAAAAA11');
    expect(stdout).toMatch(/^severity +critical\nlevel +BREACHED\nworst +BREACHED, -120\.50$/m);
    expect(stdout).toMatch(
      /^at +change +level +trading margin +by .*\n.*\n.*\n2026-01-02 00:00:00Z +worsened +BREACHED +-120\.50 +margin\.breached /m,
    );
    expect(stdout).toMatch(/^acknowledged +no$/m);
    expect(stdout).toMatch(/^figures +trading margin -120\.50$/m);
    expect(stdout).toMatch(/^treasury +alert +\S+ \S+ +parked/m);
    expect(stdout).not.toMatch(OBEYED);
    for (const choice of [[], ['--kind', 'margin']])
      expect((await api.run('problems', 'show', ...choice)).stdout).toBe(stdout);
  });

  it('says how long a statement can be disputed, and names it with the next commands', async () => {
    const disagreement = 'eeeeee55-0000-4000-8000-000000000005';
    const key = 'WPGENCO/WEM/2026-03-01/INITIAL/disagreement/2026-03-20T17:00:05';
    await tables.admin.query(
      `INSERT INTO problem SELECT (jsonb_populate_record(problem, jsonb_build_object('problem_id', '${disagreement}', 'key', '${key}',
         'kind', 'disagreement', 'worst_measure', '1', 'worst_level', NULL, 'level', NULL))).* FROM problem WHERE problem_id = '${OVERDUE}'`,
    );
    await tables.admin.query(
      `INSERT INTO problem_change SELECT (jsonb_populate_record(problem_change, '{"problem_id": "${disagreement}"}')).* FROM problem_change
       WHERE problem_id = '${BREACH}' AND number = 1`,
    );
    const list = await api.run('problems', 'list', '--kind', 'disagreement');
    const { stdout } = await api.run('problems', 'show', disagreement);
    await tables.admin.query(`DELETE FROM problem_change WHERE problem_id = '${disagreement}'`);
    await tables.admin.query(`DELETE FROM problem WHERE problem_id = '${disagreement}'`);
    expect(list.stdout).toMatch(/ 1 business day left +WEM\/2026-03-01\/INITIAL\//);
    expect(stdout).toMatch(/^worst +warning, 1 business day left$/m);
    expect(stdout).toContain(
      [
        'Statement: WPGENCO WEM 2026-03-01 INITIAL, published 2026-03-20 09:00:05Z',
        'What it says: busbridge statements show 00000001',
        'What differs from the one before: busbridge statements differences 00000001',
      ].join('\n'),
    );
  });

  it('shows the breach of a kind before a newer warning, which it names', async () => {
    const newer = 'dddddd44-0000-4000-8000-000000000004';
    await tables.admin.query(
      `INSERT INTO problem SELECT (jsonb_populate_record(problem, jsonb_build_object('problem_id', '${newer}', 'key', 'OTHER/prudential',
         'state', 'open', 'ended_at', NULL, 'severity', 'warning', 'worst_severity', 'warning', 'worst_level', 'WARNING',
         'opened_at', now() + interval '1 s'))).*
       FROM problem WHERE problem_id = '${BREACH}'`,
    );
    await tables.admin.query(
      `UPDATE problem SET state = 'resolved', ended_at = now() WHERE problem_id = '${BREACH}'`,
    );
    const show = ['problems', 'show', '--kind', 'margin', '--participant', 'WPGENCO'];
    const { stdout } = await api.run(...show);
    const { stdout: json } = await api.run(...show, '--json');
    await tables.admin.query(`DELETE FROM problem WHERE problem_id = '${newer}'`);
    await tables.admin.query(
      `UPDATE problem SET state = 'open', ended_at = NULL WHERE problem_id = '${BREACH}'`,
    );
    expect(stdout).toMatch(/^id +aaaaaa11/);
    expect(stdout).toMatch(
      /\nA newer problem is open: WPGENCO, WARNING: busbridge problems show dddddd44\n$/,
    );
    expect(JSON.parse(json)).toMatchObject({ id: BREACH, other: { id: newer, state: 'open' } });
  });

  it.each([
    [
      ['ack', 'aaaaaa11', '--comment', 'Cash is coming.'],
      'acknowledge',
      BREACH,
      'The problem margin of WPGENCO/prudential is acknowledged.',
      /^$/,
    ],
    [
      ['close', 'aaaaaa22', '--comment', 'done'],
      'close',
      OVERDUE,
      'The problem statement-overdue of WPGENCO/\\u001b[2J is closed.',
      /^It is not over: no alert comes before the next event about it,/,
    ],
  ])('%j', async (args, kind, problemId, sentence, warning) => {
    const { request, ...ended } = await api.carryOut(['problems', ...args], 'done', {});
    expect(ended).toEqual({
      status: 0,
      stdout: `${sentence}\n`,
      stderr: expect.stringMatching(warning) as string,
    });
    expect(request).toMatchObject({
      kind,
      parameters: { problemId },
      author: 'olivia',
      comment: args.at(-1),
      database_role: 'api',
    });
  });

  it('close of a kind that stays closed announces no further problem', async () => {
    const setKind = (kind: string) =>
      tables.admin.query(`UPDATE problem SET kind = '${kind}' WHERE problem_id = '${OVERDUE}'`);
    await setKind('disagreement');
    const ended = await api.carryOut(['problems', 'close', 'aaaaaa22', '--comment', 'We agree.'], 'done', {});
    await setKind('statement-overdue');
    expect(ended).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^The problem disagreement of .* is closed\.\n$/) as string,
      stderr: '',
    });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'ack that %s ends while it waits says that the request stays stored',
    async (signal, status) => {
      const id = uuidOf('request');
      const silent = await startScriptedServer();
      silent.respond = ({ method, url }) => {
        if (method === 'POST') return { status: 202, body: JSON.stringify({ id, state: 'waiting' }) };
        return url === `/v1/problems/${BREACH}` ? { body: JSON.stringify({ id: BREACH }) } : undefined;
      };
      const child = spawn(process.execPath, [PROGRAM, 'problems', 'ack', BREACH], {
        env: { BUSBRIDGE_URL: silent.url, BUSBRIDGE_TOKEN: 'any' },
      });
      const errors = text(child.stderr);
      await waitFor('the wait', () => silent.received.some(({ url }) => url?.startsWith('/v1/requests/')));
      child.kill(signal);
      expect(await once(child, 'close')).toEqual([status, null]);
      expect(await errors).toBe(
        `The request ${id} stays stored. "busbridge requests show ${id}" shows its state.\n`,
      );
      await silent.stop();
    },
  );

  it.each([
    [['show', 'aaaaaa'], 1, /^.*aaaaaa/],
    [['show', 'cccccc'], 1, /There is no such problem/],
    [['close', BREACH], 2, /^Say with --comment why the problem is closed\.\n$/],
    [['list', '--limit', '0'], 2, /A whole number from 1 to 1000/],
    [['show', '--kind', 'breach'], 2, /The kind of a breach is margin/],
    [['list', '--kind', 'breach'], 2, /The kind of a breach is margin/],
    [['list', '--state', 'new'], 2, /One of open, acknowledged, resolved, closed/],
  ])('%j is refused with status %d', async (args, status, stderr) => {
    expect(await api.run('problems', ...args)).toEqual({
      status,
      stdout: '',
      stderr: expect.stringMatching(stderr) as string,
    });
  });

  it.each([
    ['without a token', { BUSBRIDGE_TOKEN: '' }, 77, /does not accept who you are\. Set BUSBRIDGE_TOKEN/],
    ['with a wrong token', { BUSBRIDGE_TOKEN: 'busbridge_x_y' }, 77, /unknown, expired or revoked/],
    [
      'without an API',
      { BUSBRIDGE_URL: 'http://127.0.0.1:1' },
      69,
      /^The archive API at http:\/\/127\.0\.0\.1:1 does not respond: .* Check the address/,
    ],
    ['with a wrong address', { BUSBRIDGE_URL: 'bridge' }, 78, /^BUSBRIDGE_URL is "bridge", but it takes/],
  ])('%s it ends with the status of the reason', async (_, environment, status, stderr) => {
    const given = { BUSBRIDGE_URL: api.url, BUSBRIDGE_TOKEN: api.tokens.olivia, ...environment };
    expect(await runCommand(['problems', 'list'], given)).toEqual({
      status,
      stdout: '',
      stderr: expect.stringMatching(stderr) as string,
    });
  });
});
