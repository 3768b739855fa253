import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '@ssb/testing';
import { REPOSITORY_ROOT } from '@ssb/tools';
import type { Page } from 'playwright-core';
import { openAs, running } from './shared-console.js';

/** As the market has published it. */
const MARGIN = '-60000.00';
const EVIDENCE = '**/v1/events/*/evidence';

let id: string;

beforeAll(async () => {
  const { items } = await running.system.get('/v1/events?type=settlementbus.margin.breached.v1');
  id = items.at(-1)?.id ?? '';
});

/** Each export has a time, and a digest of everything. */
const withoutExport = (evidence: string): string =>
  evidence.replaceAll(/"(exportedAt|digest)": "[^"]+"/g, '');

const signatures = (page: Page) => page.getByRole('region', { name: 'Signatures' });

async function busbridge(args: readonly string[], environment = {}) {
  return runToEnd(join(REPOSITORY_ROOT, 'bundles', 'cli.js'), args, environment);
}

it('the page of an event says that this browser has verified it', async () => {
  const window = await openAs('operator');
  await window.open(`/events/${id}`);
  await signatures(window.page).getByText('Verified by this browser').waitFor();
  expect(await signatures(window.page).getByText('Not verified').count()).toBe(0);
});

it('an event of whose evidence one digit was changed is not verified', async () => {
  const window = await openAs('operator');
  await window.page.route(EVIDENCE, async (route) => {
    const response = await route.fetch();
    const body = await response.body();
    body.write('7', body.indexOf(MARGIN) + 1);
    await route.fulfill({ status: response.status(), contentType: 'application/json', body });
  });
  await window.open(`/events/${id}`);
  await signatures(window.page).getByText('Not verified.').waitFor();
  expect(await signatures(window.page).getByText('Verified by this browser').count()).toBe(0);
});

it('the downloaded evidence has the text of the API, and busbridge verify accepts it', async () => {
  const { baseUrl, tokens, running: whole } = running.system;
  const [file, trust, tokenFile] = ['evidence.json', 'trust.json', 'operator.token'].map((name) =>
    join(running.folder, name),
  ) as [string, string, string];
  const window = await openAs('operator');
  await window.open(`/events/${id}`);
  const [download] = await Promise.all([
    window.page.waitForEvent('download'),
    signatures(window.page).getByRole('button', { name: 'Download evidence' }).click(),
  ]);
  await download.saveAs(file);
  const headers = { authorization: `Bearer ${tokens.operator}` };
  const response = await fetch(`${baseUrl}/v1/events/${id}/evidence`, { headers });
  expect(withoutExport(readFileSync(file, 'utf8'))).toBe(withoutExport(await response.text()));
  writeFileSync(tokenFile, tokens.operator, { mode: 0o600 });
  const api = { BUSBRIDGE_URL: baseUrl, BUSBRIDGE_TOKEN_FILE: tokenFile };
  const environment = { ...whole.system.configVariables, ...api };
  const exported = await busbridge(['trust', 'export', '--history', '--out', trust], environment);
  expect([exported.status, exported.stderr]).toEqual([0, expect.stringMatching(/^\S+ has the /)]);
  const { status, stdout } = await busbridge(['verify', file, '--trust', trust]);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^verified/)]);
});
