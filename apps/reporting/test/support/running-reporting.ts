import { createHash, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, type Authority, type Credential } from '@ssb/dev/certificates';
import { buildApp, createLogger, readSettings } from '@ssb/platform';
import { Agent, request } from 'undici';
import { app } from '../../src/reporting.app.js';
import { definition } from '../../src/settings.js';
import { createReportingDatabase } from './reporting-database.js';
import { AUDIENCE, startTokenService, type TestTokenService } from './token-service.js';

export interface TestResponse {
  status: number;
  type: string;
  body: string;
  /** Absent unless the response has the header. */
  retryAfter?: string;
}

export interface GetOptions {
  token?: string;
  accept?: string;
  /** The client certificate on a new connection; none when empty. */
  as?: Partial<Credential>;
  headers?: Record<string, string | string[]>;
}

/** The app on free loopback ports, with real TLS, client certificates, tokens and database. */
export interface RunningReporting {
  authority: Authority;
  tokens: TestTokenService;
  wpgenco: Credential;
  participantsUrl: string;
  operatorUrl: string;
  managementUrl: string;
  /** Holds server.crt, server.key and ca.crt of the server. */
  folder: string;
  /** Sends GET to the participants' port, by default as WPGENCO with a token for everything it may read. */
  get(path: string, options?: GetOptions): Promise<TestResponse>;
  /** Posts JSON text to the operator API, by default with a token that may load. */
  post(path: string, json: string, token?: string): Promise<TestResponse>;
  /** Harmless when repeated. */
  close(): Promise<void>;
}

/** @param overrides further settings; the app gets its own test database unless they have a DATABASE_URL */
export async function runReporting(
  overrides: Readonly<Record<string, string>> = {},
): Promise<RunningReporting> {
  const [authority, tokens] = await Promise.all([
    createAuthority({ name: 'Test authority', now: new Date() }),
    startTokenService(),
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'reporting-'));
  const database = overrides['DATABASE_URL'] === undefined ? await createReportingDatabase() : undefined;
  const release = async (): Promise<void> => {
    await tokens.close();
    await database?.close();
    await rm(folder, { recursive: true, force: true });
  };
  const [server, wpgenco] = await Promise.all([
    authority.issue({ commonName: '127.0.0.1', hosts: ['127.0.0.1'] }),
    authority.issue({ commonName: 'WPGENCO' }),
  ]);
  const file = async (name: string, content: string): Promise<string> => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const settings = readSettings(definition, {
    PORT: '0',
    OPERATOR_PORT: '0',
    TLS_CERT_FILE: await file('server.crt', server.cert),
    TLS_KEY_FILE: await file('server.key', server.key),
    CLIENT_CA_FILE: await file('ca.crt', authority.cert),
    JWKS_URL: tokens.jwksUrl,
    TOKEN_ISSUER: tokens.issuer,
    TOKEN_AUDIENCE: AUDIENCE,
    ...(database && { DATABASE_URL: database.url }),
    LOG_LEVEL: 'fatal',
    ...overrides,
  });
  const log = createLogger({ name: 'reporting', level: 'fatal', format: 'json' });
  const running = await buildApp(app, settings, log).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  const {
    urls: [operatorUrl = '', participantsUrl = ''],
    managementUrl,
  } = await running.listen();
  const readAll = await tokens.sign('PRUDENTIAL|WPGENCO|R SETTLEMENT|WPGENCO|R');
  const load = await tokens.sign('MARKETRECORDS|OPERATOR|CR');
  const asWpgenco = new Agent({ connect: { ca: authority.cert, ...wpgenco } });
  let closing: Promise<void> | undefined;
  return {
    authority,
    tokens,
    wpgenco,
    participantsUrl,
    operatorUrl,
    managementUrl,
    folder,
    get: (path, { token = readAll, accept, as, headers } = {}) =>
      sendRequest(`${participantsUrl}${path}`, {
        ...(as === undefined ? { dispatcher: asWpgenco } : { tls: { ca: authority.cert, ...as } }),
        headers: {
          ...headers,
          ...(token !== '' && { authorization: `Bearer ${token}` }),
          ...(accept !== undefined && { accept }),
        },
      }),
    post: (path, body, token = load) =>
      sendRequest(`${operatorUrl}${path}`, {
        headers: {
          'content-type': 'application/json',
          ...(token !== '' && { authorization: `Bearer ${token}` }),
        },
        body,
      }),
    close: () => (closing ??= Promise.all([asWpgenco.close(), running.close()]).then(release)),
  };
}

interface RequestOptions {
  /** Of connections that are kept; a new connection when omitted. */
  dispatcher?: Agent;
  tls?: { ca?: string; cert?: string; key?: string; maxVersion?: 'TLSv1.1' };
  headers?: Record<string, string | string[]>;
  body?: string;
  method?: string;
}

/** Sends one request, by default on a connection of its own with its own certificate. */
export async function sendRequest(
  url: string,
  {
    tls = {},
    dispatcher: given,
    headers = {},
    body,
    method = body === undefined ? 'GET' : 'POST',
  }: RequestOptions = {},
): Promise<TestResponse> {
  const dispatcher = given ?? new Agent({ connect: tls });
  try {
    const response = await request(url, {
      dispatcher,
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    const { 'content-type': type, 'retry-after': retryAfter } = response.headers;
    return {
      status: response.statusCode,
      type: String(type),
      ...(retryAfter !== undefined && { retryAfter: String(retryAfter) }),
      body: await response.body.text(),
    };
  } finally {
    if (given === undefined) await dispatcher.close();
  }
}

/** RFC 8705 §3.1: SHA-256 of the DER form, base64url. */
export function thumbprintOf({ cert }: Credential): string {
  return createHash('sha256').update(new X509Certificate(cert).raw).digest('base64url');
}
