import type { AccountListResponse, AccountResponse, AccountView } from '../accounts/accounts.dto.js';

/** The admin API was unreachable or refused a request. The message says what to do next. */
export class AdminApiError extends Error {
  override readonly name = 'AdminApiError';

  constructor(
    message: string,
    /** HTTP status of the response; undefined if there was none. */
    readonly status: number | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const TIMEOUT_MS = 10_000;

/** Client of the admin API. Each method throws AdminApiError. */
export class AdminClient {
  constructor(
    private readonly url: string,
    private readonly secret: string,
  ) {}

  create(body: object): Promise<AccountResponse> {
    return this.request<AccountResponse>('POST', '', body);
  }

  rotate(body: object): Promise<AccountResponse> {
    return this.request<AccountResponse>('POST', '/rotate', body);
  }

  disable(clientId: string): Promise<AccountView> {
    return this.request<AccountView>('POST', '/disable', { clientId });
  }

  enable(clientId: string): Promise<AccountView> {
    return this.request<AccountView>('POST', '/enable', { clientId });
  }

  /** All accounts, ordered by client id. */
  async list(): Promise<AccountView[]> {
    const all: AccountView[] = [];
    let after: string | undefined;
    do {
      const query = new URLSearchParams({ limit: '500', ...(after !== undefined && { after }) });
      const page = await this.request<AccountListResponse>('GET', `?${query.toString()}`);
      all.push(...page.accounts);
      after = page.next;
    } while (after !== undefined);
    return all;
  }

  private async request<Body>(method: 'GET' | 'POST', path: string, body?: object): Promise<Body> {
    const response = await this.send(method, path, body);
    const content = (await response.json().catch((cause: unknown) => {
      const message = `${this.url} responded with ${response.status} without JSON: --url must be the admin API of the token service`;
      throw new AdminApiError(message, response.status, { cause });
    })) as Body & { readonly title?: string; readonly detail?: string };
    if (response.ok) return content;
    throw new AdminApiError(describeRefusal(response.status, content), response.status);
  }

  private async send(method: string, path: string, body: object | undefined): Promise<Response> {
    try {
      return await fetch(`${this.url}/admin/v1/accounts${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.secret}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      const message = `the admin API at ${this.url} does not respond: start the token service with ADMIN_SECRET_FILE, or give another address with --url`;
      throw new AdminApiError(message, undefined, { cause });
    }
  }
}

function describeRefusal(status: number, { title, detail }: { title?: string; detail?: string }): string {
  if (status === 401)
    return 'the admin API refused the secret: --secret-file must name the file of its ADMIN_SECRET_FILE';
  if (status === 409)
    return 'the account of --client-id exists: --if-missing keeps it as it is, --replace changes it';
  return detail ?? title ?? `the admin API responded with ${status}`;
}
