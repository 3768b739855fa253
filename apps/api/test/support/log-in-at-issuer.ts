import type { OpenIdAccount } from '@ssb/testing/openid-provider';

/**
 * Logs in at the issuer, as a person does.
 * @param authorization where the sign-in leads
 * @param login undefined cancels
 * @returns path and query of the callback
 */
export async function logInAtIssuer(
  authorization: URL,
  login: OpenIdAccount | undefined,
  consoleUrl: string,
): Promise<string> {
  const cookies = new Map<string, string>();
  let [url, form]: [URL, URLSearchParams | undefined] = [authorization, undefined];
  for (let step = 0; step < 10; step += 1) {
    if (url.origin === consoleUrl) return `${url.pathname}${url.search}`;
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) [url, form] = [new URL(location, url), undefined];
    else if (response.status === 200)
      form = new URLSearchParams({ login: login ?? '', action: login === undefined ? 'cancel' : 'login' });
    else throw new Error(`the issuer responds ${response.status}: ${await response.text()}`);
  }
  throw new Error('the issuer never returns');
}
