import type { Browser } from 'playwright-core';
import { Window } from '../../console/browser.js';

export interface Scrolling {
  /** Rows of the list, with a heading for each day. */
  readonly rows: number;
  /** Time of each frame, milliseconds. */
  readonly frames: readonly number[];
}

/** Pixels for each frame: ten rows. */
const STEP = 400;
const MAX_SECONDS = 300;
/** Its number of rows is known once the last page was read. */
const GRID = '[role="grid"]';
const READ_GRID = `${GRID}:not([aria-rowcount="-1"])`;

/** Runs in the page: scrolls one step each frame, to the end of the list or to its top. */
const SCROLL = `async ([direction, step, maxMs, readGrid]) => {
  const frames = [];
  const started = performance.now();
  let last;
  await new Promise((resolve) => {
    const next = (now) => {
      if (last !== undefined) frames.push(now - last);
      last = now;
      const end = document.documentElement.scrollHeight - innerHeight;
      const isDone = direction > 0 ? scrollY >= end - 1 && document.querySelector(readGrid) !== null : scrollY <= 0;
      if (isDone || now - started > maxMs) return resolve();
      scrollTo(0, scrollY + direction * step);
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  return frames;
}`;

/** Reads the whole list by scrolling down, then measures the frames while scrolling up and down again. */
export async function measureScrolling(
  browser: Browser,
  origin: string,
  token: string,
  print: (text: string) => void,
): Promise<Scrolling> {
  const window = await Window.open(browser, origin);
  try {
    await window.signIn(token);
    await window.open('/events?calculations=yes');
    const scroll = (direction: number): Promise<readonly number[]> =>
      window.page.evaluate<readonly number[]>(
        `(${SCROLL})(${JSON.stringify([direction, STEP, MAX_SECONDS * 1_000, READ_GRID])})`,
      );
    await scroll(1);
    const rows = Number(await window.page.locator(GRID).getAttribute('aria-rowcount')) - 1;
    if (rows < 1) throw new Error(`The list of events was not read to its end within ${MAX_SECONDS} s.`);
    print(`${rows} rows`);
    return { rows, frames: [...(await scroll(-1)), ...(await scroll(1))] };
  } finally {
    await window.close();
  }
}
