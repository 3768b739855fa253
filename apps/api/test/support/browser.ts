import type { RunningApi } from './running-api.js';

export interface BrowserRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Cookie {
  readonly value: string;
  readonly sameSite: string;
}

/** Sends requests as a page of the console does, and keeps cookies. The header `sec-fetch-site` says where a request comes from. */
export class Browser {
  private readonly cookies = new Map<string, Cookie>();

  /** @param api another replica shares the cookies */
  constructor(private readonly api: RunningApi) {}

  /** A request of the console itself. No redirect is followed. */
  async send(path: string, { method = 'GET', headers = {}, body }: BrowserRequest = {}): Promise<Response> {
    const origin = this.api.urls.api;
    const isOwnSite = headers['sec-fetch-site'] !== 'cross-site';
    const cookie = this.format(({ sameSite }) => isOwnSite || (sameSite === 'Lax' && method === 'GET'));
    const response = await fetch(new URL(path, origin), {
      method,
      redirect: 'manual',
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(method !== 'GET' && { origin }),
        ...(cookie !== '' && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.keep(response);
    return response;
  }

  /** As an operator of all participants by default. @returns the response of the sign-in */
  signIn(token = this.api.operator): Promise<Response> {
    return this.send('/sign-in/token', { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  }

  get cookieHeader(): string {
    return this.format(() => true);
  }

  cookie(name: string): string | undefined {
    return this.cookies.get(name)?.value;
  }

  /** It is sent from every site. */
  setCookie(name: string, value: string): void {
    this.cookies.set(name, { value, sameSite: 'Lax' });
  }

  private format(isSent: (cookie: Cookie) => boolean): string {
    return [...this.cookies]
      .filter(([, cookie]) => isSent(cookie))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  /** Keeps the cookies of a response, as a browser does. */
  private keep(response: Response): void {
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(text) ?? [];
      if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, { value, sameSite: /SameSite=(\w+)/.exec(attributes)?.[1] ?? 'Lax' });
    }
  }
}
