import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorConfigFile } from '@ssb/config';
import { createLogger } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { health } from './support/health.js';
import { CALCULATIONS, calculations, calculation } from './support/market-responses.js';
import {
  facts,
  folder,
  leads,
  lines,
  market,
  metric,
  participant,
  requestCount,
  rewrite,
  setUpPollerTests,
  start,
  type ConfigChanges,
  variables,
} from './support/running-poller.js';

setUpPollerTests();

/** No lease ends on a busy machine. */
const RELOAD = { CONFIG_RELOAD_INTERVAL_MS: '20', LEASE_TTL_MS: '15000' };

const thresholds = (warning: string, breach: string): object => ({
  margin: { warning, breach, hysteresis: '25000.00' },
});

/** Changes the file, and waits for as long as a reader of the file takes to see two changes. */
async function rewriteWhileStarting(config: ConfigChanges): Promise<void> {
  const { CONFIG_FILE: path = '' } = variables({}, {});
  const log = createLogger({ name: 'test', level: 'silent', format: 'json' });
  const reader = await OperatorConfigFile.open({ path, environment: {}, intervalMs: 20, log });
  let changes = 0;
  reader.onChange(() => void (changes += 1));
  reader.watch();
  for (const written of [{ defaults: thresholds('1.00', '0.00') }, config]) {
    const before = changes;
    rewrite(written);
    await waitFor('the reader', () => changes > before);
  }
  await reader.close();
}

it('changed thresholds take effect without a restart, also when the file changes while the poller starts', async () => {
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '300000.00']));
  const { url } = await start(RELOAD, {}, () =>
    rewriteWhileStarting({ defaults: thresholds('400000.00', '0.00') }),
  );
  await waitFor('the warning', () => facts().length === 1);
  rewrite({ defaults: thresholds('500000.00', '350000.00') });
  await waitFor('the breach', () => facts().length === 2);
  rewrite({});
  await waitFor('the end', () => facts().length === 3);
  expect(facts().map(({ eventType }) => eventType)).toEqual([
    'settlementbus.margin.warning.v1',
    'settlementbus.margin.breached.v1',
    'settlementbus.margin.restored.v1',
  ]);
  expect(await metric(url, 'settlement_bridge_config_reloads_total{outcome="applied"}')).toMatch(/ 3$/);
  expect(lines.filter(({ msg }) => msg === 'lease acquired')).toHaveLength(1);
});

it('participants are added, changed and removed without a restart, and the others are polled on', async () => {
  const withAccess = (code: string, clientId = code.toLowerCase()): object => {
    writeFileSync(join(folder, `${code}.secret`), 'secret');
    market.responses.set(`${clientId} ${CALCULATIONS}`, `[${calculation('09:00:00', '-1.00', code)}]`);
    return { code, access: { clientId, clientSecretFile: `${code}.secret` } };
  };
  const polledAs = (clientId: string): number =>
    market.clients.filter((each) => each.clientId === clientId && each.path === CALCULATIONS).length;
  const [stays, moves, leaves] = ['STAYS', 'MOVES', 'LEAVES'].map((code) => withAccess(code));
  const access = { PARTICIPANT: '', TOKEN_CLIENT_ID: '', TOKEN_CLIENT_SECRET: '' };
  const { url } = await start({ ...RELOAD, ...access }, { participants: [stays!, moves!, leaves!] });
  await waitFor('polls', () => ['stays', 'moves', 'leaves'].every((id) => polledAs(id) > 1));
  rewrite({ participants: [stays!, withAccess('MOVES', 'elsewhere'), withAccess('COMES')] });
  await waitFor('polls by the new file', () => ['elsewhere', 'comes'].every((id) => polledAs(id) > 1));
  const before = [polledAs('moves'), polledAs('leaves'), polledAs('stays')] as const;
  await waitFor('further polls', () => polledAs('stays') > before[2] + 2);
  expect([polledAs('moves'), polledAs('leaves')]).toEqual(before.slice(0, 2));
  const acquired = lines.flatMap(({ msg, participant: code }) => (msg === 'lease acquired' ? [code] : []));
  expect(acquired.sort()).toEqual(['COMES', 'LEAVES', 'MOVES', 'MOVES', 'STAYS']);
  const breaches = facts().filter(({ eventType }) => eventType === 'settlementbus.margin.breached.v1');
  // The saved state of a participant outlives the change of its access.
  expect(breaches.map(({ subject }) => String(subject).split('/')[0]).sort()).toEqual([
    'COMES',
    'LEAVES',
    'MOVES',
    'STAYS',
  ]);
  await waitFor(
    'the end of its metrics',
    async () => !(await (await fetch(`${url}/metrics`)).text()).includes('{participant="LEAVES"} '),
  );
});

it('a file with errors, or one that the poller cannot serve, is refused and reported', async () => {
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '300000.00']));
  const { url } = await start(RELOAD);
  rewrite({ defaults: thresholds('1.00', '2.00') });
  const fault = async () => (await health(url)).faults.map(({ reason, detail }) => [reason, detail]);
  await waitFor('the fault', async () => (await fault()).length === 1);
  expect(await fault()).toEqual([
    ['configuration-refused', expect.stringContaining('breach is 2.00, above warning 1.00')],
  ]);
  rewrite({});
  await waitFor('its end', async () => (await fault()).length === 0);
  rewrite({ participants: [{ code: 'ANOTHER' }] });
  await waitFor('the second fault', async () => (await fault()).length === 1);
  expect(await fault()).toEqual([
    ['configuration-refused', expect.stringContaining(`does not name participant ${participant}`)],
  ]);
  expect(await metric(url, 'settlement_bridge_config_reloads_total{outcome="refused"}')).toMatch(/ 2$/);
  expect(facts()).toEqual([]);
});

const UNCHANGED = { CONFIG_RELOAD_INTERVAL_MS: '60000' };

/** A file of its own with another breach threshold. */
function otherFile(): string {
  const { CONFIG_FILE: path = '' } = variables({}, { defaults: thresholds('250000.00', '-100.00') });
  const copy = join(folder, `${participant}-other.yaml`);
  copyFileSync(path, copy);
  rewrite({});
  return copy;
}

it('a takeover by a replica with other thresholds changes no level, and the difference is reported', async () => {
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '-1.00']));
  const first = await start(UNCHANGED);
  await waitFor('the breach', () => facts().length === 1);
  const second = await start({ ...RELOAD, CONFIG_FILE: otherFile() });
  await waitFor('the fault', async () => (await health(second.url)).faults.length > 0);
  expect((await health(second.url)).faults).toMatchObject([
    { reason: 'replicas-differ', participant, detail: expect.stringMatching(/ \(margin\)\. /) },
  ]);
  await first.close();
  await waitFor('the takeover', () => leads(second.url));
  const before = requestCount(CALCULATIONS);
  await waitFor('polls of the new leader', () => requestCount(CALCULATIONS) > before + 3);
  expect(facts().map(({ eventType }) => eventType)).toEqual(['settlementbus.margin.breached.v1']);
});
