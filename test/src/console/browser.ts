import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { CHROMIUM, describeMissing, ensurePrograms } from '@ssb/tools';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

export type ColorScheme = 'light' | 'dark';

export interface WindowOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: ColorScheme;
  /** Of the reader. Default: that of the machine. */
  readonly timezoneId?: string;
  /** Accepts the certificate of a test server. */
  readonly ignoreHTTPSErrors?: boolean;
}

export type SessionCookies = Awaited<ReturnType<BrowserContext['cookies']>>;

/** A pause of the whole machine must not fail a test. */
const TIMEOUT_MS = 60_000;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** WCAG 2.2 AA, and what axe recommends besides. */
const AXE_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Starts Debian's Chromium, and installs it if possible. Its own sandbox needs rights that a container does not have. */
export async function launchChromium(): Promise<Browser> {
  const searchPath = process.env['PATH'] ?? '';
  const missing = ensurePrograms([CHROMIUM], { searchPath });
  if (missing.length > 0) throw new Error(describeMissing(missing));
  return chromium.launch({
    executablePath: CHROMIUM.find(searchPath) ?? 'chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: TIMEOUT_MS,
  });
}

/** A window with cookies of its own, at a console. It records what the browser reports as an error. */
export class Window {
  /** Errors of scripts, refused by the Content-Security-Policy, and others of the browser's console. */
  readonly errors: string[] = [];
  /** Requests that the API refused, with their status. */
  readonly refusals: string[] = [];

  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
    readonly origin: string,
  ) {
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('console', (message) => {
      // The browser also reports responses such as 404, which tests cause.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.errors.push(message.text());
    });
    page.on('response', (response) => {
      if (response.status() >= 400) this.refusals.push(`${response.status()} ${response.url()}`);
    });
  }

  static async open(browser: Browser, origin: string, options: WindowOptions = {}): Promise<Window> {
    const { width = 1280, height = 900, ...rest } = options;
    const context = await browser.newContext({ viewport: { width, height }, baseURL: origin, ...rest });
    context.setDefaultTimeout(TIMEOUT_MS);
    return new Window(context, await context.newPage(), origin);
  }

  /** Signs in with a token, without the form. */
  async signIn(token: string): Promise<SessionCookies> {
    const response = await this.context.request.post('/sign-in/token', {
      headers: { authorization: `Bearer ${token}`, origin: this.origin },
    });
    if (!response.ok()) throw new Error(`sign-in: ${response.status()} ${await response.text()}`);
    return this.context.cookies(this.origin);
  }

  /** Uses the session of another window. */
  async restoreSession(cookies: SessionCookies): Promise<void> {
    await this.context.addCookies(cookies);
  }

  /** Opens a page of the console and waits until it has read its data. */
  async open(path: string): Promise<void> {
    await this.page.goto(path);
    await this.settled();
  }

  /** Until the page has a heading, and nothing of it is still read. */
  async settled(): Promise<void> {
    await this.page.locator('h1').first().waitFor();
    await this.page.locator('.skeleton').first().waitFor({ state: 'detached' });
  }

  /** Until events arrive as they are archived. */
  waitForLive(): Promise<void> {
    return this.page.getByRole('banner').getByRole('status').filter({ hasText: 'live' }).waitFor();
  }

  /** What axe finds, one text for each rule. @param rule only this one */
  async findBarriers(rule?: string): Promise<string[]> {
    if (!(await this.page.evaluate<boolean>('"axe" in window'))) await this.page.evaluate(AXE);
    const runOnly = rule === undefined ? AXE_RULES : { type: 'rule', values: [rule] };
    const { violations } = await this.page.evaluate<AxeResult>(
      `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })})`,
    );
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
    );
  }

  /** Pixels by which the page is wider than the window. */
  overflow(): Promise<number> {
    return this.page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}
