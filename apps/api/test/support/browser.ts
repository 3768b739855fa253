import type { RunningApi } from './running-api.js';

export interface BrowserRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends requests as a page of the console does, and keeps cookies. */
export class Browser {
  private readonly cookies = new Map<string, string>();

  /** @param api another replica shares the cookies */
  constructor(private readonly api: RunningApi) {}

  /** A request of the console itself. No redirect is followed. */
  async send(path: string, { method = 'GET', headers = {}, body }: BrowserRequest = {}): Promise<Response> {
    const origin = this.api.urls.api;
    const response = await fetch(new URL(path, origin), {
      method,
      redirect: 'manual',
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(method !== 'GET' && { origin }),
        ...(this.cookies.size > 0 && { cookie: this.cookieHeader }),
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
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  cookie(name: string): string | undefined {
    return this.cookies.get(name);
  }

  setCookie(name: string, value: string): void {
    this.cookies.set(name, value);
  }

  /** Keeps the cookies of a response, as a browser does. */
  private keep(response: Response): void {
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(text) ?? [];
      if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
