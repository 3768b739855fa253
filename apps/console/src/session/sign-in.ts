import { ApiError, request, send } from '../api/api-client.js';

/** How a person can sign in here. */
export interface SignInOptions {
  /** With the organisation's account. */
  readonly openIdConnect: boolean;
  readonly accessToken: boolean;
}

const RETURN_KEY = 'return-to';

/** Where the API returns to when a sign-in at the issuer has failed. */
export const FAILURE_PATH = '/sign-in-failed';

export const readSignInOptions = (): Promise<SignInOptions> =>
  send('GET', '/sign-in/options') as Promise<SignInOptions>;

/** Leaves the page for the issuer of OpenID Connect, and remembers where to return. */
export function signInAtIssuer(): void {
  const address =
    location.pathname === FAILURE_PATH ? (takeReturnAddress() ?? '/') : location.pathname + location.search;
  sessionStorage.setItem(RETURN_KEY, address);
  location.assign('/sign-in');
}

/** Where the person was before they left for the issuer; undefined when they did not. */
export function takeReturnAddress(): string | undefined {
  const address = sessionStorage.getItem(RETURN_KEY) ?? undefined;
  sessionStorage.removeItem(RETURN_KEY);
  // Two slashes begin the address of another host.
  return address !== undefined && /^\/(?![/\\])/.test(address) ? address : undefined;
}

/** Loads the page again, so that nothing is left of what another person has seen. */
export function continueSignedIn(): void {
  if (location.pathname === FAILURE_PATH) location.replace(takeReturnAddress() ?? '/');
  else location.reload();
}

/** @throws ApiError */
export async function signInWithToken(token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  try {
    await request('/sign-in/token', { method: 'POST', headers }, (response) => response.text());
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const advice = 'It is wrong, was revoked, or has ended. Ask for a new one.';
    throw new ApiError(401, 'The token was refused', advice);
  }
}

const LINK = /^#sign-in=([\w-]+)$/;

/** Whether the address is a one-time link that was not used yet. */
export const hasLink = (): boolean => LINK.test(location.hash);

/** Uses the one-time link of the address, if there is one. @throws ApiError */
export async function signInWithLink(): Promise<void> {
  const [, token] = LINK.exec(location.hash) ?? [];
  if (token === undefined) return;
  // The token does not stay in the address and its history.
  history.replaceState(history.state, '', location.pathname + location.search);
  await send('POST', '/sign-in/link', { token });
}

/** @throws ApiError */
export async function signOut(): Promise<void> {
  await send('POST', '/sign-out');
  location.assign('/');
}
