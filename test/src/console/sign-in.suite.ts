import { createSignInLink, signInAddress } from '@ssb/keys';
import type { OpenIdAccount } from '@ssb/testing/openid-provider';
import type { Window } from './browser.js';
import { addressOf, PAGES } from './pages.js';
import { openAs, openWindow, running } from './shared-console.js';

/** What only operators have. */
const ACTIONS =
  /^(acknowledge|silence|new silence|close|resend|skip|test|replay|enable|disable|end|evaluate|retry|remove|recheck|start|cancel)/i;

/** From the sign-in page through the page of the organisation. */
async function logIn({ page }: Window, account: OpenIdAccount): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with your organisation' }).click();
  await page.getByLabel('Name').fill(account);
  await page.getByRole('button', { name: 'Log in' }).click();
}

const person = ({ page }: Window, name: string) => page.getByRole('banner').getByText(name);
const signInPage = ({ page }: Window) => page.getByRole('button', { name: 'Sign in with the token' });

/** The address of a new one-time link. */
async function createLink(): Promise<string> {
  const file = running.system.running.system.plan.secrets.signInLinkFile;
  const grant = { name: 'oscar', role: 'operator', participants: 'all' } as const;
  return signInAddress(running.origin, await createSignInLink(file, grant, new Date()));
}

async function cookieNames({ page }: Window): Promise<string[]> {
  const cookies = await page.context().cookies(running.origin);
  // The provider has the same host.
  return cookies.map(({ name }) => name).filter((name) => name.startsWith('__Host-'));
}

describe('a person who signs in with the account of the organisation', () => {
  it('returns to the page that was requested', async () => {
    const window = await openWindow();
    await window.open('/problems?severity=critical');
    await logIn(window, 'olivia');
    await person(window, 'olivia').waitFor();
    await window.page.getByRole('heading', { level: 1, name: 'Problems' }).waitFor();
    expect(window.page.url()).toBe(`${running.origin}/problems?severity=critical`);
    expect(await cookieNames(window)).toEqual(['__Host-session']);
  });

  it('learns that the account grants nothing, and returns with a token', async () => {
    const window = await openWindow();
    const { page } = window;
    await window.open('/silences');
    await logIn(window, 'guest');
    await page.getByText('your account grants no access here').waitFor();
    expect(await cookieNames(window)).toEqual([]);
    await page.getByLabel('Access token').fill(running.system.tokens.operator);
    await signInPage(window).click();
    await page.getByRole('heading', { level: 1, name: 'Silences' }).waitFor();
  });

  it('reads as a viewer, and learns on each page what only operators can do', async () => {
    const window = await openWindow();
    const { page } = window;
    await window.open('/');
    await logIn(window, 'victor');
    await person(window, 'victor').waitFor();
    for (const each of PAGES.filter(({ viewer }) => viewer !== undefined)) {
      await window.open(await addressOf(running.system, each));
      await page
        .getByText(each.viewer ?? '')
        .first()
        .waitFor();
      const actions = page.getByRole('main').getByRole('button', { name: ACTIONS });
      expect([each.route, await actions.allTextContents()]).toEqual([each.route, []]);
    }
    expect(window.refusals.filter((refusal) => !refusal.startsWith('401'))).toEqual([]);
  });

  it('sees one participant, and learns why a page needs all', async () => {
    const window = await openWindow();
    const { page } = window;
    await window.open('/');
    await logIn(window, 'wendy');
    await person(window, 'wendy').waitFor();
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    await navigation.getByRole('link', { name: 'Problems' }).waitFor();
    expect(await navigation.getByRole('link', { name: 'Operations' }).count()).toBe(0);
    for (const each of PAGES.filter(({ needsAllParticipants }) => needsAllParticipants)) {
      await window.open(await addressOf(running.system, each));
      await page.getByText(/needs access to all/).waitFor();
    }
    expect(window.refusals.filter((refusal) => !refusal.startsWith('401'))).toEqual([]);
  });

  it('who sees one participant does not see what is about all', async () => {
    const { items } = await running.system.get('/v1/problems?participant=*');
    const window = await openAs('limited');
    await window.open(`/problems/${items[0]?.id}`);
    await window.page.getByRole('main').getByText('There is no such problem').waitFor();
  });
});

describe('a session', () => {
  it('ends with the sign-out, also for the Back button', async () => {
    const window = await openAs('operator', { ownSession: true });
    const { page } = window;
    await window.open('/events');
    await page.getByRole('link', { name: 'Problems' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Problems' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signInPage(window).waitFor();
    expect(await cookieNames(window)).toEqual([]);
    await page.goBack();
    await page.reload();
    await signInPage(window).waitFor();
    expect(await page.getByRole('main').textContent()).not.toContain('WPGENCO');
  });

  it('ends on an open page when its token is revoked', async () => {
    const { text, revoke } = await running.addToken('oscar');
    const window = await openWindow();
    await window.signIn(text);
    await window.open('/problems');
    await window.waitForLive();
    await revoke();
    await signInPage(window).waitFor();
    expect(await window.page.getByText('WPGENCO').count()).toBe(0);
  });

  it('begins with a one-time link, once', async () => {
    const address = await createLink();
    const window = await openWindow();
    await window.open(address);
    await person(window, 'oscar').waitFor();
    expect(window.page.url()).toBe(`${running.origin}/`);
    const other = await openWindow();
    await other.open(address);
    await other.page.getByText('This link cannot be used').waitFor();
    expect(other.page.url()).toBe(`${running.origin}/`);
  });

  it('begins with a one-time link in a window that shows the console', async () => {
    const window = await openWindow();
    await window.open('/');
    await signInPage(window).waitFor();
    const { hash } = new URL(await createLink());
    // The page is loaded again after the script has ended.
    await window.page.evaluate(`void setTimeout(() => (location.hash = ${JSON.stringify(hash)}))`);
    await person(window, 'oscar').waitFor();
    expect(window.page.url()).toBe(`${running.origin}/`);
  });
});
