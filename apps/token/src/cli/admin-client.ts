import type { AccountResponse, AccountListResponse, AccountView } from '../accounts/accounts.dto.js';

/** The door could not be asked, or said no. The message tells what to do next. */
export class AdminApiError extends Error {
  override readonly name = 'AdminApiError';

  constructor(
    message: string,
    /** HTTP status of the answer; undefined when there was none. */
    readonly status: number | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const TIMEOUT_MS = 10_000;

/** Talks to the admin door of a running token service. Each method throws AdminApiError. */
export class AdminClient {
  constructor(
    private readonly url: string,
    private readonly secret: string,
  ) {}

  create(body: object): Promise<AccountResponse> {
    return this.ask<AccountResponse>('POST', '', body);
  }

  rotate(body: object): Promise<AccountResponse> {
    return this.ask<AccountResponse>('POST', '/rotate', body);
  }

  setDisabled(clientId: string, disabled: boolean): Promise<AccountView> {
    return this.ask<AccountView>('POST', disabled ? '/disable' : '/enable', { clientId });
  }

  /** Every account, by name. */
  async list(): Promise<AccountView[]> {
    const all: AccountView[] = [];
    let after: string | undefined;
    do {
      const query = new URLSearchParams({ limit: '500', ...(after !== undefined && { after }) });
      const page = await this.ask<AccountListResponse>('GET', `?${query.toString()}`);
      all.push(...page.accounts);
      after = page.next;
    } while (after !== undefined);
    return all;
  }

  private async ask<Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const response = await this.send(method, path, body);
    const answer = (await response.json().catch((cause: unknown) => {
      const message = `${this.url} answered ${response.status} without JSON; is it the token service's admin door?`;
      throw new AdminApiError(message, response.status, { cause });
    })) as Answer & { readonly title?: string; readonly detail?: string };
    if (response.ok) return answer;
    throw new AdminApiError(refusal(response.status, answer), response.status);
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
      const message = `the admin door at ${this.url} does not answer: is the token service running, with ADMIN_SECRET_FILE set? --url names another address`;
      throw new AdminApiError(message, undefined, { cause });
    }
  }
}

function refusal(status: number, { title, detail }: { title?: string; detail?: string }): string {
  if (status === 401)
    return 'the admin door refused the secret: --secret-file must name the file of its ADMIN_SECRET_FILE';
  if (status === 409)
    return '--client-id names an account that is there already: --if-missing leaves it as it is, --replace changes it';
  return detail ?? title ?? `the admin door answered ${status}`;
}
