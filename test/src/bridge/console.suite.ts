import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { launchChromium, Window } from '../console/browser.js';
import { running } from './shared-system.js';

const BREACH = '-61234.56';

let browser: Browser;
let window: Window;

beforeAll(async () => {
  browser = await launchChromium();
  window = await Window.open(browser, `http://127.0.0.1:${running.system.plan.ports.api}`);
});
afterAll(() => browser?.close());

describe('the console', () => {
  it('lets a person with a token sign in, and shows a breach without a reload', async () => {
    const { page } = window;
    const token = readFileSync(running.system.plan.secrets.apiAccess.tokenFile, 'utf8').trim();
    await page.goto('/');
    await page.getByLabel('Access token').fill(token);
    await page.getByRole('button', { name: 'Sign in with the token' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await running.market.publishMargin(BREACH);
    await page.getByText('\u221261,234.56').first().waitFor();
    await running.market.publishMargin('900000.00');
    await page.getByText('900,000.00').first().waitFor();
    expect(window.errors).toEqual([]);
  });
});
