import { once } from 'node:events';
import { execFileSync, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@ssb/testing';
import { health, readiness } from './support/health.js';
import { CALCULATIONS } from './support/market-responses.js';
import { fileOf, heldAt, OWN_ACCESS, participantsOf, requestsOf, setMargin } from './support/participants.js';
import {
  consume,
  drain,
  folder,
  lines,
  market,
  setUpPollerTests,
  start,
  variables,
} from './support/running-poller.js';

setUpPollerTests();

it('each participant is polled with its own account, and no silent or refused participant delays it', async () => {
  const participants = participantsOf(['SILENT', 'REFUSED', 'FIRST', 'SECOND']);
  let respond = (): void => undefined;
  const responded = new Promise<void>((resolve) => (respond = resolve));
  market.responses.set(`silent ${CALCULATIONS}`, () => responded.then(() => '[]'));
  market.secrets.set('refused', 'another secret');
  setMargin('FIRST', '300000.00');
  setMargin('SECOND', '-5.00');
  const { url } = await start({ ...OWN_ACCESS, REQUEST_TIMEOUT_MS: '120000' }, { participants });
  await waitFor('polls of both', () => requestsOf('FIRST') > 10 && requestsOf('SECOND') > 10);
  await waitFor('the fault', async () => (await health(url)).faults.length > 0);
  // The request of the silent participant has not ended.
  expect(requestsOf('SILENT')).toBe(1);
  expect((await health(url)).faults).toMatchObject([{ reason: 'token-refused', participant: 'REFUSED' }]);
  expect((await readiness(url)).status).toBe(200);
  expect((await heldAt(url)).sort()).toEqual(['FIRST', 'REFUSED', 'SECOND', 'SILENT']);
  respond();
  const events = await drain();
  expect(events.map(({ type, participant, subject }) => [type, participant, subject])).toEqual([
    ['settlementbus.margin.breached.v1', 'SECOND', 'SECOND/prudential'],
  ]);
});

it('a participant whose files cannot be used is reported, and polled as soon as they can; the others are polled', async () => {
  const [bad, pipe, missing, healthy] = participantsOf(['CERTIFICATE', 'PIPE', 'MISSING', 'HEALTHY']);
  const certificate = { certFile: 'access/bad.crt', keyFile: 'access/bad.key' };
  for (const name of Object.values(certificate)) writeFileSync(join(folder, name), 'no certificate');
  for (const code of ['PIPE', 'MISSING']) rmSync(fileOf(code));
  execFileSync('mkfifo', [fileOf('PIPE')]);
  const participants = [{ ...bad, access: { ...bad!.access, ...certificate } }, pipe!, missing!, healthy!];
  const { events, close } = consume();
  const alerts = (code: string): string[] =>
    events.flatMap(({ type, data, participant }) =>
      'reason' in data && data.reason === 'credentials-unusable' && participant === code ? [type] : [],
    );
  const { url } = await start(OWN_ACCESS, { participants });
  await waitFor('polls of the healthy one', () => requestsOf('HEALTHY') > 2);
  await waitFor('the alert', () => alerts('MISSING').length === 1);
  const faults = (await health(url)).faults.map(({ detail }) => detail);
  expect(faults).toHaveLength(3);
  expect(faults).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^.*bad\.crt cannot be used: .*\.$/),
      `${fileOf('MISSING')} does not exist.`,
      `${fileOf('PIPE')} is a pipe or a device, but a file is needed.`,
    ]),
  );
  expect(await heldAt(url)).toEqual(['HEALTHY']);
  expect((await readiness(url)).status).toBe(200);
  writeFileSync(fileOf('MISSING'), 'secret of missing');
  await waitFor('polls of the repaired one', () => requestsOf('MISSING') > 2);
  await waitFor('the end of the alert', () => alerts('MISSING').length === 2);
  expect(alerts('MISSING')).toEqual([
    'settlementbus.bridge.alert.raised.v1',
    'settlementbus.bridge.alert.cleared.v1',
  ]);
  rmSync(fileOf('PIPE'));
  await close();
});

it('a secret file that becomes unusable is reported, and a new secret is used without a restart', async () => {
  const participants = participantsOf(['ONLY']);
  const { url } = await start(OWN_ACCESS, { participants });
  await waitFor('polls', () => requestsOf('ONLY') > 2);
  writeFileSync(fileOf('ONLY'), '');
  await waitFor('the fault', async () => (await health(url)).faults.length === 1);
  expect((await health(url)).faults).toMatchObject([
    {
      reason: 'credentials-unusable',
      participant: 'ONLY',
      detail: expect.stringMatching(/^\S+ is empty; .*\. What was read before stays in use\.$/),
    },
  ]);
  const before = requestsOf('ONLY');
  await waitFor('polls with the earlier secret', () => requestsOf('ONLY') > before + 2);
  market.secrets.set('only', 'renewed');
  // The token of the old secret is refused from now on.
  market.responses.set(CALCULATIONS, 401);
  writeFileSync(fileOf('ONLY'), 'renewed');
  await waitFor('the reload', () => lines.find(({ msg }) => msg === 'client credentials reloaded'));
  const reloaded = requestsOf('ONLY');
  await waitFor('polls with the new secret', () => requestsOf('ONLY') > reloaded + 2);
  await waitFor('the end of the fault', async () =>
    (await health(url)).faults.every(({ reason }) => reason !== 'credentials-unusable'),
  );
});

it('a replica that can use the files of no participant is not ready', async () => {
  const participants = participantsOf(['ONLY']);
  writeFileSync(fileOf('ONLY'), '\n');
  const { url } = await start(OWN_ACCESS, { participants });
  expect(await readiness(url)).toEqual({
    status: 503,
    participants: 'The files of no participant can be used: ONLY',
  });
  expect((await health(url)).faults).toMatchObject([
    { detail: `${fileOf('ONLY')} is empty; it must hold the account or the secret of the OAuth client.` },
  ]);
});

describe('replicas', () => {
  const CODES = Array.from({ length: 9 }, (_, index) => `P${index}`);
  const TTL_MS = 4_000;
  /** The time to live of a crashed replica's leases, and as long again for a busy machine. With the default of 8 s it is 16 s. */
  const MAX_GAP_MS = 2 * TTL_MS;

  /** A replica as a process of its own, with the lease times of an operator. @returns how to end it like a crash */
  async function startProcess(env: Readonly<Record<string, string>>): Promise<() => Promise<unknown>> {
    const bundle = new URL('../../../../bundles/poller.js', import.meta.url).pathname;
    const child = spawn(process.execPath, [bundle], {
      env: { ...env, LOG_LEVEL: 'silent' },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    return () => {
      child.kill('SIGKILL');
      return ended;
    };
  }

  it('share the participants equally, also when one joins, leaves or crashes, and none is unpolled for longer than two lease times', async () => {
    const config = { participants: participantsOf(CODES) };
    for (const code of CODES) setMargin(code, '300000.00');
    const changes = { ...OWN_ACCESS, POLL_PRUDENTIAL_INTERVAL_MS: '500', LEASE_TTL_MS: String(TTL_MS) };
    const first = await start(changes, config);
    await waitFor('all leases', async () => (await heldAt(first.url)).length === 9);
    const second = await start(changes, config);
    const held = async (): Promise<number[]> =>
      Promise.all([first, second].map(async ({ url }) => (await heldAt(url)).length));
    await waitFor('equal shares of two', async () => (await held()).sort().join() === '4,5', 30_000);
    const crash = await startProcess(variables(changes, config));
    await waitFor('equal shares of three', async () => (await held()).join() === '3,3', 30_000);
    await crash();
    await waitFor('equal shares of two again', async () => (await held()).sort().join() === '4,5', 30_000);
    await second.close();
    await waitFor('all leases again', async () => (await heldAt(first.url)).length === 9, 30_000);
    const before = CODES.map(requestsOf);
    await waitFor('polls of all', () => CODES.every((code, at) => requestsOf(code) > (before[at] ?? 0)));
    expect(Math.max(...CODES.map(maxGapMs))).toBeLessThan(MAX_GAP_MS);
  }, 120_000);

  function maxGapMs(code: string): number {
    const times = market.clients
      .filter(({ clientId, path }) => clientId === code.toLowerCase() && path === CALCULATIONS)
      .map(({ at }) => at);
    return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)));
  }
});
