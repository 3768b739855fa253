import { waitFor } from '@ssb/testing';
import { CHANNEL, signedEvent } from '@ssb/testing/signed-messages';
import { TOPIC_BY_EVENT_TYPE } from '@ssb/events';
import type { Listing } from '../harness/filled-system.js';
import type { Window } from './browser.js';
import { openAs, running } from './shared-console.js';

/** Without a quotation mark, which JSON escapes. */
const HTML = `<img src=x onerror='isRun=true'><script>isRun=true</script>`;

/** Elements that the text has made, and whether its script has run. */
const FIND_MADE = `[
  document.querySelectorAll('img[src="x"]').length,
  [...document.scripts].filter(({ textContent }) => textContent.includes('isRun')).length,
  typeof isRun,
]`;

async function expectText({ page }: Window): Promise<void> {
  expect(await page.evaluate(FIND_MADE)).toEqual([0, 0, 'undefined']);
}

/** Sends a message that is quarantined. @returns its id in the quarantine */
async function sendPayload(payload: string): Promise<string> {
  const gateway = running.system.running.system.gatewayClient('publisher');
  try {
    const topic = TOPIC_BY_EVENT_TYPE['settlementbus.margin.breached.v1'];
    await gateway.sendMessage({ fqcn: CHANNEL, topic, payload });
  } finally {
    await gateway.close();
  }
  return waitFor('the message in the quarantine', async () => {
    const { items } = await running.system.get('/v1/quarantine');
    for (const { id } of items) {
      const detail = await running.system.get<{ readonly payload: string }>(`/v1/quarantine/${id}`);
      if (detail.payload === payload) return id;
    }
    return undefined;
  });
}

describe('text that is HTML appears as text', () => {
  it('in comments of people', async () => {
    const [problem] = (await running.system.get<Listing>('/v1/problems?kind=invoice-overdue')).items;
    await running.system.post(`/v1/problems/${problem?.id}/acknowledge?wait=30`, { comment: HTML });
    const matchers = { types: ['estimation.*'] };
    await running.system.post('/v1/silences?wait=30', { comment: HTML, matchers, for: '1h' });
    const window = await openAs('operator');
    for (const path of [`/problems/${problem?.id}`, '/silences', '/operations/audit']) {
      await window.open(path);
      await window.page.getByText(HTML).first().waitFor();
      await expectText(window);
    }
  });

  it('in the payload of a quarantined message', async () => {
    const id = await sendPayload(JSON.stringify({ ...signedEvent(), subject: HTML }));
    const window = await openAs('operator');
    await window.open(`/operations/quarantine/${id}`);
    await window.page.getByText(HTML).first().waitFor();
    await expectText(window);
  });

  it.each([
    '/events?subject=',
    '/events?type=',
    '/problems?participant=',
    '/problems?kind=',
    '/deliveries?sink=',
    '/calendar?market=',
    '/money?participant=',
    '/operations/audit?author=',
    '/problems/',
    '/events/',
    '/sign-in-failed?reason=',
    '/',
  ])('in the address %s…', async (path) => {
    const window = await openAs('operator');
    await window.open(path + encodeURIComponent(HTML));
    await expectText(window);
  });
});
