import type { Browser } from 'playwright-core';
import { launchChromium, type SessionCookies, Window, type WindowOptions } from './browser.js';
import { RunningConsole } from './running-console.js';

/** The console of all suites in this folder. */
export let running: RunningConsole;
let browser: Browser;
const windows: Window[] = [];
/** Sessions that tests share: the API bounds how often one person signs in. */
const sessions = new Map<Person, SessionCookies>();

type Person = 'operator' | 'viewer' | 'limited';

beforeAll(async () => {
  running = await RunningConsole.start();
  browser = await launchChromium();
});

afterEach(async () => {
  const opened = windows.splice(0);
  await Promise.all(opened.map((window) => window.close()));
  // The Content-Security-Policy refuses nothing, and no script fails.
  expect(opened.flatMap(({ errors }) => errors)).toEqual([]);
});

afterAll(async () => {
  await browser?.close();
  await running?.stop();
});

/** A window without a session. It is closed after the test. */
export async function openWindow(options?: WindowOptions): Promise<Window> {
  const window = await Window.open(browser, running.origin, options);
  windows.push(window);
  return window;
}

/** A window in which someone has signed in. @param ownSession for tests that end the session */
export async function openAs(
  person: Person,
  { ownSession = false, ...options }: WindowOptions & { readonly ownSession?: boolean } = {},
): Promise<Window> {
  const window = await openWindow(options);
  const cookies = ownSession ? undefined : sessions.get(person);
  if (cookies !== undefined) await window.restoreSession(cookies);
  else {
    const session = await window.signIn(running.system.tokens[person]);
    if (!ownSession) sessions.set(person, session);
  }
  return window;
}
