import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@ssb/testing';
import { health } from './support/health.js';
import { CALCULATIONS, calculations } from './support/market-responses.js';
import {
  facts,
  folder,
  leads,
  market,
  participant,
  requestCount,
  rewrite,
  setUpPollerTests,
  start,
  variables,
} from './support/running-poller.js';

setUpPollerTests();

const CHANGES = { CONFIG_RELOAD_INTERVAL_MS: '60000' };

/** A file of its own with another breach threshold. */
function otherFile(): string {
  const margin = { warning: '250000.00', breach: '-100.00', hysteresis: '0.00' };
  const { CONFIG_FILE: path = '' } = variables({}, { defaults: { margin } });
  const copy = join(folder, `${participant}-other.yaml`);
  copyFileSync(path, copy);
  rewrite({});
  return copy;
}

it('a takeover by a replica with other thresholds changes no level, and the difference is reported', async () => {
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '-1.00']));
  const first = await start(CHANGES);
  await waitFor('the breach', () => facts().length === 1);
  const second = await start({ ...CHANGES, CONFIG_FILE: otherFile(), CONFIG_RELOAD_INTERVAL_MS: '20' });
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
