import { ApiError, send } from '../api/api-client.js';

/** How a person can sign in here. */
export interface SignInOptions {
  /** With the organisation's account. */
  readonly openIdConnect: boolean;
  readonly accessToken: boolean;
}

const RETURN_KEY = 'return-to';

/** Where the API leads after a sign-in at the issuer that failed. */
export const FAILURE_PATH = '/sign-in-failed';

export const readSignInOptions = (): Promise<SignInOptions> =>
  send('GET', '/sign-in/options') as Promise<SignInOptions>;

/** Leaves the page for the issuer of OpenID Connect, and remembers where to return. */
export function signInAtIssuer(): void {
  // Another attempt returns to where the first one began.
  if (location.pathname !== FAILURE_PATH)
    sessionStorage.setItem(RETURN_KEY, location.pathname + location.search);
  location.assign('/sign-in');
}

/** Where the person was before they left for the issuer; undefined when they do not come from there. */
export function takeReturnAddress(): string | undefined {
  if (location.pathname === FAILURE_PATH) return undefined;
  const address = sessionStorage.getItem(RETURN_KEY) ?? undefined;
  sessionStorage.removeItem(RETURN_KEY);
  return location.pathname === '/' ? address : undefined;
}

/** Leads from a sign-in that failed to where the person was before it. */
export function leaveFailurePage(): void {
  if (location.pathname !== FAILURE_PATH) return;
  const address = sessionStorage.getItem(RETURN_KEY) ?? '/';
  sessionStorage.removeItem(RETURN_KEY);
  history.replaceState(null, '', address);
}

/** @throws ApiError */
export async function signInWithToken(token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch('/sign-in/token', { method: 'POST', headers });
  if (response.ok) return;
  throw new ApiError(
    response.status,
    'The token was refused',
    response.status === 401
      ? 'It is wrong, was revoked, or has ended. Ask for a new one.'
      : 'Try again in a minute.',
  );
}

const LINK = /^#sign-in=([\w-]+)$/;

/** Uses the one-time link of the address, if there is one. @throws ApiError */
export async function signInWithLink(): Promise<void> {
  const [, token] = LINK.exec(location.hash) ?? [];
  if (token === undefined) return;
  // The token does not stay in the address and its history.
  history.replaceState(history.state, '', location.pathname + location.search);
  await send('POST', '/sign-in/link', { token });
}

export async function signOut(): Promise<void> {
  await send('POST', '/sign-out', {});
  location.assign('/');
}
