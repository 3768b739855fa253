import { getBytes, keccak256, type Wallet } from 'ethers';

/** A failure as the public gateway reports it to its clients. */
export interface PublicGatewayError {
  readonly status: number;
  readonly code: string;
  readonly reason?: unknown;
  readonly details?: unknown;
}

export type Result<T> = { readonly ok: T } | { readonly err: PublicGatewayError };

export interface PublicMessage {
  readonly id: string;
  readonly fqcn?: string;
  readonly payload: string;
  readonly sender: string;
  readonly timestampNanos: unknown;
  readonly transactionId?: string;
}

interface PublicChannel {
  readonly fqcn: string;
  readonly subscribers?: readonly string[];
  readonly topics?: readonly { readonly namespace: string; readonly schema: unknown }[];
}

export interface SendOptions {
  readonly topic?: string;
  readonly transactionId?: string;
  readonly signature?: string;
}

interface Response {
  readonly status: number;
  /** As axios reads it: JSON whatever the content type, else the text. */
  readonly data: unknown;
}

const MAX_LOGINS = 5;

/** The public gateway 0.5 and 0.6 as a client of its broker. It reads responses as strictly, and as loosely, as that one. */
export class PublicGatewayClient {
  logins = 0;
  token: string | undefined;

  constructor(
    private readonly url: string,
    private readonly wallet: Wallet,
    readonly did = `did:ethr:${wallet.address}`,
  ) {}

  identityToken(): string {
    const text = [
      { alg: 'ES256', typ: 'JWT' },
      { iss: this.did, claimData: { blockNumber: 999_999_999_999 } },
    ]
      .map((part) => toBase64(JSON.stringify(part)))
      .join('.');
    return `${text}.${toBase64(this.wallet.signMessageSync(getBytes(keccak256(Buffer.from(text)))))}`;
  }

  async send(fqcn: string, payload: string, options: SendOptions = {}): Promise<Result<{ id: unknown }>> {
    const retry = () => this.send(fqcn, payload, options);
    if (this.token === undefined) return this.loginAnd(retry);
    const { topic, transactionId, signature = this.wallet.signMessageSync(payload) } = options;
    const body = { fqcn, topic, payload, signature, correlationId: transactionId };
    const { status, data } = await this.request('POST', '/message', body);
    if (status === 201) return { ok: { id: data } };
    if (status === 400) return invalidPayload(data);
    return this.refusal({ status, data }, retry);
  }

  async read(fqcn: string, query: Record<string, string> = {}): Promise<Result<PublicMessage[]>> {
    const parameters = new URLSearchParams({ fqcn, ...query });
    const response = await this.request('GET', `/message?${parameters.toString()}`);
    if (response.status !== 200) return this.refusal(response, () => this.read(fqcn, query));
    const messages = response.data as (PublicMessage & { correlationId?: string })[];
    return { ok: messages.map(({ correlationId, ...rest }) => ({ ...rest, transactionId: correlationId })) };
  }

  /** Logs in again on every 401. */
  async channels(): Promise<Result<PublicChannel[]>> {
    const { status, data } = await this.request('GET', '/channel/pubsub');
    if (status === 200) return { ok: data as PublicChannel[] };
    if (status === 401) return this.loginAnd(() => this.channels());
    return this.refusal({ status, data }, () => this.channels());
  }

  /** One round for its WebSocket clients. It reads the channels that name its own DID, character by character, or no subscriber. */
  async poll(): Promise<PublicMessage[]> {
    const channels = unwrap(await this.channels());
    const subscribed = channels.filter(({ subscribers }) => subscribers?.includes(this.did) ?? true);
    const pages = [];
    for (const { fqcn } of subscribed) {
      const messages = unwrap(await this.read(fqcn, { amount: '100', clientId: 'wsconsumer' }));
      pages.push(messages.map((message) => ({ ...message, fqcn })));
    }
    return pages.flat();
  }

  private refusal<T>(
    { status, data }: Response,
    retry: () => Promise<Result<T>>,
  ): Promise<Result<T>> | Result<T> {
    const { message } = data as { message?: unknown };
    if (status === 401 && message === 'Unauthorized') return this.loginAnd(retry);
    if (status === 401) return fail(401, 'DSB::CHANNEL_UNAUTHORIZED', message);
    if (status === 403) return fail(403, 'DSB::FORBIDDEN_RESOURCE', 'Must be enroled as a DSB user');
    if (status === 404) return fail(404, 'DSB::CHANNEL_NOT_FOUND', message);
    return fail(502, 'DSB::REQUEST_FAILED', status);
  }

  private async loginAnd<T>(retry: () => Promise<Result<T>>): Promise<Result<T>> {
    this.logins += 1;
    if (this.logins > MAX_LOGINS) throw new Error('the gateway would log in without end');
    const { status, data } = await this.request('POST', '/auth/login', {
      identityToken: this.identityToken(),
    });
    if (status !== 200) return fail(401, 'DSB::LOGIN_FAILED', status);
    this.token = (data as { token: string }).token;
    return retry();
  }

  private async request(method: string, path: string, body?: object): Promise<Response> {
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, data: readLikeAxios(text) };
  }
}

export function unwrap<T>(result: Result<T>): T {
  if ('ok' in result) return result.ok;
  throw new Error(JSON.stringify(result.err));
}

/** Takes the message apart as a list. A text would become its first two characters. */
function invalidPayload(data: unknown): Result<never> {
  const { message } = data as { message?: unknown };
  try {
    const [reason, details] = message as unknown[];
    return fail(400, 'DSB::INVALID_PAYLOAD', reason, details);
  } catch {
    return fail(502, 'DSB::REQUEST_FAILED', 'message is not iterable');
  }
}

function fail(status: number, code: string, reason?: unknown, details?: unknown): Result<never> {
  return { err: { status, code, reason, details } };
}

function readLikeAxios(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
