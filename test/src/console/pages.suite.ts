import type { ColorScheme, Window } from './browser.js';
import { addressOf, PAGES, readRoutes } from './pages.js';
import { openAs, openWindow, running } from './shared-console.js';

const SCHEMES: readonly ColorScheme[] = ['light', 'dark'];
const WIDTHS = [1280, 360];
const HEIGHT = 900;
/** It has no page of its own. */
const FAILED_SIGN_IN = '/sign-in-failed';

/** What is wrong with the page in each theme and width. */
async function findFaults(window: Window): Promise<string[]> {
  const { page } = window;
  const faults: string[] = [];
  for (const colorScheme of SCHEMES)
    for (const width of WIDTHS) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: HEIGHT });
      // Two frames, in which the page adapts.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      const overflow = await window.overflow();
      if (overflow > 0) faults.push(`${colorScheme} ${width}: ${overflow} pixels too wide`);
      // Only colours depend on the theme.
      const barriers = await window.findBarriers(colorScheme === 'light' ? undefined : 'color-contrast');
      faults.push(...barriers.map((barrier) => `${colorScheme} ${width}: ${barrier}`));
    }
  return faults;
}

it('the table of these tests has every route of the console', () => {
  const pages = readRoutes().filter((route) => route !== FAILED_SIGN_IN);
  expect(pages).toEqual(PAGES.map(({ route }) => route));
});

describe('in both themes, wide and narrow, without barriers and sideways scrolling:', () => {
  it.each(PAGES)('$route', async (tested) => {
    const window = await openAs('operator');
    await window.open(await addressOf(running.system, tested));
    const heading = (await window.page.locator('h1').textContent()) ?? '';
    expect(heading).toEqual(expect.stringMatching(tested.heading));
    expect(await window.page.title()).toBe(`${heading} · Settlement bus bridge`);
    expect(await findFaults(window)).toEqual([]);
    expect(window.refusals).toEqual([]);
  });

  it.each([
    ['the sign-in page', '/problems', 'Sign in with your organisation'],
    ['a sign-in that failed', `${FAILED_SIGN_IN}?reason=denied`, 'The sign-in was cancelled. Try again.'],
  ])('%s', async (_what, path, text) => {
    const window = await openWindow();
    await window.open(path);
    await window.page.getByText(text).waitFor();
    expect(await window.page.title()).toBe('Sign in · Settlement bus bridge');
    expect(await findFaults(window)).toEqual([]);
  });

  it('an address without a page', async () => {
    const window = await openAs('operator');
    await window.open('/nothing');
    await window.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await findFaults(window)).toEqual([]);
  });
});
