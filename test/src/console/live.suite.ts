import { openAs, running } from './shared-console.js';

/** All 23 digits of a decimal(23,8). */
const BREACH = '-123456789012345.12345678';
const SHOWN_BREACH = '\u2212123,456,789,012,345.12345678';
/** A page says that its data are old after a minute, and reads them again every 15 s. */
const STALE_MS = 61_000;
const REFRESH_MS = 16_000;

it('an open page shows a breach without a reload, with every digit', async () => {
  const { market } = running.system.running;
  const window = await openAs('operator');
  const { page } = window;
  await market.publishMargin('900000.00');
  await window.open('/');
  const margin = page.getByRole('region', { name: 'Trading margin' });
  await margin.getByText('900,000.00').first().waitFor();
  await page.evaluate('window.isSamePage = true');
  await market.publishMargin(BREACH);
  await margin.getByText(SHOWN_BREACH, { exact: true }).first().waitFor();
  await page.getByRole('region', { name: 'Present problems' }).getByText(SHOWN_BREACH).first().waitFor();
  expect(await page.evaluate('window.isSamePage')).toBe(true);
});

it('a page says that the connection is lost and its data are old, and is live again by itself', async () => {
  const window = await openAs('operator');
  const { page } = window;
  await page.clock.install();
  await window.open('/');
  const connection = page.getByRole('banner').getByRole('status');
  await window.waitForLive();
  await page.locator('.chart canvas').first().waitFor();
  await running.api.stop();
  try {
    await connection.getByText('connection lost').waitFor();
    await page.getByText('Connection lost, trying again').waitFor();
    await page.clock.fastForward(STALE_MS);
    await page.getByText('These data are more than a minute old.').waitFor();
    await page.getByText(/They were read .+ ago\. The connection to the server is lost\.$/).waitFor();
    // What was read stays visible.
    await page.getByRole('region', { name: 'Trading margin' }).getByText('WPGENCO').first().waitFor();
  } finally {
    await running.api.start();
  }
  await window.waitForLive();
  await page.clock.fastForward(REFRESH_MS);
  await page.getByText(/Live · read/).waitFor();
  await page.getByText(/^These data are/).waitFor({ state: 'detached' });
});

it('a part of a page that cannot be read does not hide the others', async () => {
  const window = await openAs('operator');
  const { page } = window;
  await page.route('**/v1/payments?*', (route) => route.abort());
  await page.route('**/assets/line-plot-*', (route) => route.abort());
  await window.open('/');
  const payments = page.getByRole('region', { name: 'Due in the next 14 days' });
  const failure = payments.getByText('The server does not respond.');
  await failure.waitFor();
  await page.getByRole('region', { name: 'Trading margin' }).getByText('WPGENCO').first().waitFor();
  await page.getByText('The chart could not be loaded.').first().waitFor();
  expect(window.errors.splice(0)).toEqual([expect.stringContaining('line-plot')]);
  await page.unroute('**/v1/payments?*');
  await payments.getByRole('button', { name: 'Try again' }).click();
  await failure.waitFor({ state: 'detached' });
});
