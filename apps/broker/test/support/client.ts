import type { BusMessage, ErrorDetail, LoginSuccess, RoleClaim } from '@ssb/bus';
import type { Channel } from '../../src/channels/channel.js';
import type { Actor } from './actor.js';
import { AUDIENCE, ISSUER, USER_ROLE } from './test-broker.js';

export interface CallResponse<T> {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
  readonly body: T & { readonly err: ErrorDetail };
}

/** Client of the broker's HTTP interface for one actor. */
export class Client {
  token = '';

  constructor(
    readonly url: string,
    readonly actor: Actor,
  ) {}

  async call<T = object>(
    method: string,
    path: string,
    body?: unknown,
    more: Readonly<Record<string, string>> = {},
  ): Promise<CallResponse<T>> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...more,
        ...(this.token && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { status, headers } = response;
    const contentType = headers.get('content-type');
    const text = await response.text();
    // Only BROKER_COMPATIBILITY=dsb responds with a text.
    const isJson = text !== '' && contentType?.startsWith('application/json') === true;
    return { status, contentType, text, body: (isJson ? JSON.parse(text) : {}) as CallResponse<T>['body'] };
  }

  async login(): Promise<LoginSuccess> {
    const { body } = await this.call<LoginSuccess>('POST', '/auth/login', {
      identityToken: this.actor.identityToken(AUDIENCE),
    });
    this.token = body.token;
    return body;
  }

  decide(role: string, decision: 'approve' | 'reject' | 'revoke', did = this.actor.did) {
    return this.call<RoleClaim>('POST', '/role/decision', {
      token: ISSUER.decision(AUDIENCE, { did, role, decision }),
    });
  }

  post(fqcn: string, payload: string, more: Readonly<Record<string, unknown>> = {}) {
    const message = { fqcn, payload, signature: this.actor.sign(payload), ...more };
    return this.call<{ id: string }>('POST', '/message', message);
  }

  read(fqcn: string, query: Readonly<Record<string, string>> = {}) {
    return this.call<BusMessage[]>('GET', `/message?${new URLSearchParams({ fqcn, ...query }).toString()}`);
  }
}

/** Logged in and enrolled. */
export async function user(url: string, actor: Actor): Promise<Client> {
  const client = new Client(url, actor);
  await client.login();
  await client.decide(USER_ROLE, 'approve');
  return client;
}

export async function creator(url: string): Promise<Client> {
  const client = new Client(url, ISSUER);
  await client.login();
  return client;
}

let channels = 0;

/** Creates a channel for one test. */
export async function makeChannel(url: string, more: Partial<Channel> = {}): Promise<string> {
  channels += 1;
  const fqcn = `c${channels}-${process.pid}.channels.messagebus.apps.bridge.iam.local`;
  const { status } = await (await creator(url)).call('POST', '/channel', { fqcn, ...more });
  if (status !== 201) throw new Error(`the channel was refused with ${status}`);
  return fqcn;
}
