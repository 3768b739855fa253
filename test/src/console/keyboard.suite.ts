import type { Locator, Page } from 'playwright-core';
import { waitFor } from '@ssb/testing';
import { openAs, running } from './shared-console.js';

const MAX_STEPS = 200;
/** Pages read their data again every 15 s. */
const REFRESH_MS = 16_000;
const COMMENT = 'By keyboard';
/** No event has it. */
const FILTERED = 'NOBODY';

/** The focused element, and the outlines of it and of what is drawn over its row. */
const READ_FOCUS = `[
  document.activeElement.outerHTML.slice(0, 200),
  getComputedStyle(document.activeElement).outlineStyle,
  getComputedStyle(document.activeElement, '::after').outlineStyle,
]`;

const isFocused = async (locator: Locator): Promise<boolean> =>
  (await locator.and(locator.page().locator(':focus')).count()) > 0;

const untilFocused = (what: string, locator: Locator): Promise<unknown> =>
  waitFor(`the focus on ${what}`, () => isFocused(locator));

/** Presses Tab until one of the elements has the focus, which is visible at each step. */
async function tabTo(page: Page, locator: Locator): Promise<void> {
  for (let step = 0; step < MAX_STEPS; step += 1) {
    await page.keyboard.press('Tab');
    const [element, ...outlines] = await page.evaluate<string[]>(READ_FOCUS);
    if (!element?.startsWith('<body')) expect([element, outlines]).not.toEqual([element, ['none', 'none']]);
    if (await isFocused(locator)) return;
  }
  throw new Error(`${MAX_STEPS} steps do not reach ${String(locator)}`);
}

it('acknowledges a problem from the address bar on', async () => {
  const window = await openAs('operator');
  const { page } = window;
  const { keyboard } = page;
  await window.open('/');
  await keyboard.press('Tab');
  expect(await isFocused(page.getByRole('link', { name: 'Skip to the content' }))).toBe(true);
  await keyboard.press('Enter');
  await untilFocused('the content', page.getByRole('main'));
  const problems = page.getByRole('region', { name: 'Present problems' });
  await tabTo(page, problems.getByRole('button', { name: /^Acknowledge: / }));
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await tabTo(page, page.getByRole('dialog').getByLabel(/^Comment/));
  await keyboard.type(COMMENT);
  await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }));
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await waitFor('the acknowledgement', async () => {
    const { items } = await running.system.get<{ readonly items: readonly object[] }>(
      '/v1/problems?state=acknowledged',
    );
    return items.some((problem) => 'acknowledgeComment' in problem && problem.acknowledgeComment === COMMENT);
  });
  await problems.getByText('acknowledged by olivia').first().waitFor();
});

it('a dialog keeps the focus, and Escape returns it', async () => {
  const window = await openAs('operator');
  const { page } = window;
  await window.open('/silences');
  const opener = page.getByRole('button', { name: 'New silence' });
  await tabTo(page, opener);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  const controls = await dialog.locator('input, textarea, button, summary').count();
  for (let step = 0; step <= controls + 1; step += 1) {
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus:not(dialog, dialog *)').count()).toBe(0);
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await untilFocused('the button of the dialog', opener);
});

it('the focus stays in a table whose rows are read again', async () => {
  const window = await openAs('operator');
  const { page } = window;
  await page.clock.install();
  await window.open('/deliveries');
  const link = page.getByRole('table').getByRole('link').first();
  await link.focus();
  await page.evaluate('window.focused = document.activeElement');
  // When the second response arrives, the first one is shown.
  for (let count = 0; count < 2; count += 1) {
    const response = page.waitForResponse((each) => each.url().includes('/v1/deliveries?'));
    await page.clock.fastForward(REFRESH_MS);
    await response;
  }
  expect(await page.evaluate('document.activeElement === window.focused')).toBe(true);
});

it('a form stays open until its request has ended', async () => {
  const window = await openAs('operator');
  const { page } = window;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/v1\/sinks\/treasury\/test/, async (route) => {
    await released;
    await route.continue();
  });
  await window.open('/sinks');
  await page.getByRole('button', { name: 'Test treasury' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Test', exact: true }).click();
  await untilFocused('what is announced', dialog.getByText('Sending…'));
  // Chromium closes a dialog at the second one by itself.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await dialog.waitFor();
  expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
  release();
  await page.getByText(/^✓ treasury accepted the test/).waitFor();
  await dialog.waitFor({ state: 'detached' });
});

it('a dialog begins at its first field', async () => {
  const window = await openAs('operator');
  const { page } = window;
  await window.open('/silences');
  await page.getByRole('button', { name: 'New silence' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await untilFocused('a field', dialog.locator('input, select, textarea'));
  await page.keyboard.press('Space');
  expect(await dialog.isVisible()).toBe(true);
});

it('the menu of a narrow screen leads to another page', async () => {
  const window = await openAs('operator', { width: 360 });
  const { page } = window;
  await window.open('/');
  const menu = page.getByRole('button', { name: 'Menu' });
  const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Events' });
  expect([await menu.getAttribute('aria-expanded'), await link.isVisible()]).toEqual(['false', false]);
  await tabTo(page, menu);
  await page.keyboard.press('Enter');
  await link.waitFor();
  expect(await menu.getAttribute('aria-expanded')).toBe('true');
  await tabTo(page, link);
  await page.keyboard.press('Enter');
  await untilFocused('the heading', page.getByRole('heading', { level: 1, name: 'Events' }));
  await link.waitFor({ state: 'hidden' });
});

it('the list of events opens an event with arrows and Enter, and Escape returns to it', async () => {
  const window = await openAs('operator');
  const { page } = window;
  await window.open('/events');
  const rows = page.getByRole('grid').getByRole('link');
  await tabTo(page, rows);
  const first = await page.locator(':focus').getAttribute('href');
  await page.keyboard.press('ArrowDown');
  const second = await page.locator(':focus').getAttribute('href');
  expect(second).toMatch(/^\/events\/[0-9a-f-]{36}$/);
  expect(second).not.toBe(first);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${second}`);
  // The address changes before the page of the event is drawn and listens to keys.
  await untilFocused('the heading of the event', page.getByRole('heading', { level: 1 }));
  await page.keyboard.press('Escape');
  await page.waitForURL('**/events');
  await untilFocused('the row of the event', page.locator(`a[href="${second}"]`));
});

it('a page stays as it is until the next one is loaded', async () => {
  const window = await openAs('operator');
  const { page } = window;
  let load: () => void = () => undefined;
  const loaded = new Promise<void>((resolve) => (load = resolve));
  await page.route(/\/event-page-[^/]+[.]js$/, async (route) => {
    await loaded;
    await route.continue();
  });
  await window.open('/events');
  const rows = page.getByRole('grid').getByRole('link');
  await tabTo(page, rows);
  const row = page.locator(`a[href="${await page.locator(':focus').getAttribute('href')}"]`);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/events\/[^/]+$/);
  expect(await isFocused(row)).toBe(true);
  load();
  await untilFocused('the heading of the event', page.getByRole('heading', { level: 1 }));
});

it('a filter of the events applies with Tab, and the focus goes to the next field', async () => {
  const window = await openAs('operator');
  const { page } = window;
  await window.open('/events');
  await page.getByRole('grid').getByRole('link').first().waitFor();
  const subject = page.getByLabel('Subject begins with');
  await subject.focus();
  await page.keyboard.type(FILTERED);
  await page.keyboard.press('Tab');
  await page.waitForURL(new RegExp(`[?]subject=${FILTERED}$`));
  await page.getByText('No event matches.').waitFor();
  expect(await isFocused(page.getByLabel('Severity'))).toBe(true);
  expect(await subject.inputValue()).toBe(FILTERED);
  const more = page.locator('summary', { hasText: 'More filters' });
  await tabTo(page, more);
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByLabel('Participant'));
  await page.keyboard.type(FILTERED);
  await page.keyboard.press('Tab');
  await page.waitForURL(new RegExp(`[?&]participant=${FILTERED}\\b`));
  expect(await isFocused(page.getByLabel('From (market day)'))).toBe(true);
  // Without the filter, the fields that a person has opened stay.
  await page.goBack();
  await waitFor(
    'the field to follow the address',
    async () => (await page.getByLabel('Participant').inputValue()) === '',
  );
  expect(await page.getByLabel('Participant').isVisible()).toBe(true);
});
