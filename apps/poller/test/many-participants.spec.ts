import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@ssb/testing';
import { health, readiness } from './support/health.js';
import { CALCULATIONS } from './support/market-responses.js';
import { fileOf, heldAt, OWN_ACCESS, participantsOf, requestsOf, setMargin } from './support/participants.js';
import { consume, drain, folder, lines, market, setUpPollerTests, start } from './support/running-poller.js';

setUpPollerTests();

it('each participant is polled with its own account, and no silent or refused participant delays it', async () => {
  const participants = participantsOf(['SILENT', 'REFUSED', 'FIRST', 'SECOND']);
  let respond = (): void => undefined;
  const responded = new Promise<void>((resolve) => (respond = resolve));
  market.responses.set(`silent ${CALCULATIONS}`, () => responded.then(() => '[]'));
  market.secrets.set('refused', 'another secret');
  setMargin('FIRST', '300000.00');
  setMargin('SECOND', '-5.00');
  const { url } = await start(
    { ...OWN_ACCESS, REQUEST_TIMEOUT_MS: '120000', LEASE_TTL_MS: '15000' },
    { participants },
  );
  await waitFor('polls of both', () => requestsOf('FIRST') > 4 && requestsOf('SECOND') > 4);
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
  const { url } = await start({ ...OWN_ACCESS, LEASE_TTL_MS: '15000' }, { participants });
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
      detail: expect.stringMatching(/^\S+ is empty; .*\. The previous files stay in use\.$/),
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

describe('replicas', () => {
  const CODES = ['P0', 'P1'];
  /** Far above the gaps of a busy machine. */
  const TTL_MS = 15_000;

  it('share the participants equally, also when one joins or leaves, and no participant waits for the end of a lease', async () => {
    const config = { participants: participantsOf(CODES) };
    for (const code of CODES) setMargin(code, '300000.00');
    const changes = { ...OWN_ACCESS, POLL_PRUDENTIAL_INTERVAL_MS: '500', LEASE_TTL_MS: String(TTL_MS) };
    const first = await start(changes, config);
    await waitFor('all leases', async () => (await heldAt(first.url)).length === 2);
    const second = await start(changes, config);
    const held = async (): Promise<number[]> =>
      Promise.all([first, second].map(async ({ url }) => (await heldAt(url)).length));
    await waitFor('equal shares', async () => (await held()).join() === '1,1');
    await second.close();
    await waitFor('all leases again', async () => (await heldAt(first.url)).length === 2);
    const before = CODES.map(requestsOf);
    await waitFor('polls of all', () => CODES.every((code, at) => requestsOf(code) > (before[at] ?? 0)));
    expect(Math.max(...CODES.map(maxGapMs))).toBeLessThan(TTL_MS);
  }, 120_000);

  function maxGapMs(code: string): number {
    const times = market.clients
      .filter(({ clientId, path }) => clientId === code.toLowerCase() && path === CALCULATIONS)
      .map(({ at }) => at);
    return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)));
  }
});
