import { rmSync, writeFileSync } from 'node:fs';
import { createAuthority } from '@ssb/dev/certificates';
import { waitFor } from '@ssb/testing';
import { pollerKeys } from '../src/state/poller-keys.js';
import { health, readiness } from './support/health.js';
import { CALCULATIONS } from './support/market-responses.js';
import {
  endedLeases,
  fileOf,
  heldAt,
  OWN_ACCESS,
  participantOf,
  participantsOf,
  requestsOf,
  setMargin,
} from './support/participants.js';
import {
  consume,
  folder,
  lines,
  market,
  prefix,
  redis,
  rewrite,
  setUpPollerTests,
  start,
} from './support/running-poller.js';

setUpPollerTests();

/** No poll ends before the operator responds, and no lease on a busy machine. */
const SETTINGS = {
  ...OWN_ACCESS,
  CONFIG_RELOAD_INTERVAL_MS: '20',
  REQUEST_TIMEOUT_MS: '120000',
  LEASE_TTL_MS: '6000',
};

/** The operator does not respond to requests for the calculations of an account. @returns what makes it respond */
function hang(account: string): () => void {
  let respond = (): void => undefined;
  const responded = new Promise<void>((resolve) => (respond = resolve));
  market.responses.set(`${account} ${CALCULATIONS}`, () => responded.then(() => '[]'));
  return respond;
}

describe('while a poll of one participant hangs', () => {
  let respond: () => void;
  beforeEach(() => {
    respond = hang('hangs');
  });
  afterEach(() => respond());

  it('its removal ends no lease of another', async () => {
    const [hanging, ...others] = participantsOf(['HANGS', 'FIRST', 'SECOND']);
    const { url } = await start(SETTINGS, { participants: [hanging!, ...others] });
    await waitFor('polls', () => ['HANGS', 'FIRST', 'SECOND'].every((code) => requestsOf(code) > 0));
    rewrite({ participants: others });
    await waitFor('the new file', () => lines.find(({ msg }) => msg === 'configuration reloaded'));
    await Promise.all(['FIRST', 'SECOND'].map((code) => waitForRenewals(code, 2)));
    expect(endedLeases()).toEqual([]);
    expect((await heldAt(url)).sort()).toEqual(['FIRST', 'HANGS', 'SECOND']);
    respond();
    await waitFor('the end of its lease', () => endedLeases().length > 0);
    await waitFor('the end of its metrics', async () => (await heldAt(url)).length === 2);
    expect(endedLeases()).toEqual(['HANGS']);
  });

  it('the new access of another is used, and a stop releases the lease of the other', async () => {
    const app = await start(SETTINGS, { participants: participantsOf(['HANGS', 'HEALTHY']) });
    await waitFor('polls', () => requestsOf('HANGS') > 0 && requestsOf('HEALTHY') > 0);
    rewrite({ participants: [participantOf('HANGS', 'later'), participantOf('HEALTHY', 'renewed')] });
    await waitFor('polls with the new account', () => requestsOf('renewed') > 2);
    expect(endedLeases()).toEqual(['HEALTHY']);
    const closed = app.close();
    await waitFor('the end of the lease', () => endedLeases().length > 1);
    expect(endedLeases()).toEqual(['HEALTHY', 'HEALTHY']);
    respond();
    await closed;
    expect(endedLeases()).toEqual(['HEALTHY', 'HEALTHY', 'HANGS']);
    expect(requestsOf('later')).toBe(0);
  });

  it('a change of its access leaves the replica ready, and is not used when it was taken back', async () => {
    const [before] = participantsOf(['HANGS']);
    const { url } = await start(SETTINGS, { participants: [before!] });
    await waitFor('the poll', () => requestsOf('HANGS') > 0);
    for (const [index, participant] of [participantOf('HANGS', 'later'), before].entries()) {
      rewrite({ participants: [participant!] });
      const reloads = (): number => lines.filter(({ msg }) => msg === 'configuration reloaded').length;
      await waitFor('the new file', () => reloads() > index);
      expect(await readiness(url)).toEqual({ status: 200 });
    }
    respond();
    const polled = requestsOf('HANGS');
    await waitFor('further polls', () => requestsOf('HANGS') > polled + 2);
    expect([endedLeases(), requestsOf('later')]).toEqual([['HANGS'], 0]);
  });

  /** Waits until the lease of a participant was renewed so often. */
  async function waitForRenewals(code: string, count: number): Promise<void> {
    const { lease } = pollerKeys(prefix, code);
    let previous = Infinity;
    let renewals = 0;
    await waitFor(`${count} renewals of ${code}`, async () => {
      const left = await redis.pttl(lease);
      if (left > previous) renewals += 1;
      previous = left;
      return renewals >= count;
    });
  }
});

it('a changed access whose files cannot be used is reported, and the previous one is used until they can, also if its certificate has expired', async () => {
  const authority = await createAuthority({ name: 'Test authority', now: new Date() });
  const notAfter = new Date(Date.now() - 86_400_000);
  const { cert, key } = await authority.issue({ commonName: 'ONLY', usage: 'client', notAfter });
  const settlement = { certFile: `${folder}/expired.crt`, keyFile: `${folder}/expired.key` };
  writeFileSync(settlement.certFile, cert);
  writeFileSync(settlement.keyFile, key);
  const accessOf = (account: string): object => {
    const { code, access } = participantOf('ONLY', account);
    return { code, access: { ...access, settlement } };
  };
  const { url } = await start(SETTINGS, { participants: [accessOf('only')] });
  await waitFor('polls', () => requestsOf('ONLY') > 2);
  const moved = accessOf('renewed');
  rmSync(fileOf('renewed'));
  rewrite({ participants: [moved] });
  const unusable = async () =>
    (await health(url)).faults.filter(({ reason }) => reason === 'credentials-unusable');
  await waitFor('the fault', async () => (await unusable()).length > 0);
  const before = requestsOf('ONLY');
  await waitFor('further polls', () => requestsOf('ONLY') > before + 2);
  const detail = `${fileOf('renewed')} does not exist. The previous files stay in use.`;
  expect(await unusable()).toMatchObject([{ participant: 'ONLY', detail }]);
  expect([endedLeases(), requestsOf('renewed')]).toEqual([[], 0]);
  writeFileSync(fileOf('renewed'), 'secret of renewed');
  await waitFor('polls with the new account', () => requestsOf('renewed') > 2);
  await waitFor('the end of the fault', async () => (await unusable()).length === 0);
});

it('the faults of a participant end when it is removed, also while no poller runs', async () => {
  const [stays, refused, missing] = participantsOf(['STAYS', 'REFUSED', 'MISSING']);
  setMargin('STAYS', '300000.00');
  market.secrets.set('refused', 'another secret');
  rmSync(fileOf('MISSING'));
  const { events, close } = consume();
  const alerts = (kind: 'raised' | 'cleared'): string[] =>
    events.flatMap(({ type, data, participant }) =>
      type === `settlementbus.bridge.alert.${kind}.v1` && 'reason' in data
        ? [`${participant} ${data.reason}`]
        : [],
    );
  const FAULTS = ['MISSING credentials-unusable', 'REFUSED token-refused'];
  const first = await start(SETTINGS, { participants: [stays!, refused!, missing!] });
  await waitFor('the alerts', () => FAULTS.every((each) => alerts('raised').includes(each)));
  rewrite({ participants: [stays!, refused!] });
  await waitFor('the first end', () => alerts('cleared').length > 0);
  expect((await health(first.url)).faults).toMatchObject([{ reason: 'token-refused' }]);
  await first.close();
  await start(SETTINGS, { participants: [stays!] });
  await waitFor('the second end', () => alerts('cleared').length > 1);
  expect(alerts('cleared')).toEqual(FAULTS);
  await close();
});
