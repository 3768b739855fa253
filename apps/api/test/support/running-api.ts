import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccessToken, type AccessToken, type NewToken } from '@ssb/keys';
import { buildApp, createLogger, readSettings, writeFileAtomically } from '@ssb/platform';
import { stringify } from 'yaml';
import { app, prepareServer } from '../../src/api.app.js';
import { definition } from '../../src/settings.js';
import { openArchiveTables, type ArchiveTables } from './archive-tables.js';
import { DocumentedResponses } from './documented-responses.js';

export interface ApiResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers: Headers;
  /** The body, which is JSON. */
  readonly json: <T = Record<string, unknown>>() => T;
}

/** A page of a listing. */
export interface Listed {
  readonly items: readonly { readonly id: string }[];
  readonly next?: string;
}

export interface RequestOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const CONFIG_FILE = new URL('../../../../../config/bridge.yaml', import.meta.url).pathname;
const DAY_MS = 86_400_000;

/** Shared by the files of a worker, because compiling the document takes long. */
let documented: DocumentedResponses | undefined;

/** The app on free loopback ports with the tables of a subscriber. Every response is checked against the OpenAPI document. */
export class RunningApi {
  /** Sees all participants. */
  operator = '';
  viewer = '';
  /** An operator that sees WPGENCO only. */
  limited = '';
  private furtherAccess: object = {};
  private readonly closers: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly tables: ArchiveTables,
    readonly folder: string,
    private readonly tokens: AccessToken[] = [],
    readonly urls = { api: '', management: '' },
  ) {}

  /**
   * @param overrides further settings
   * @param consoleFolder of the built console
   */
  static async start(
    overrides: Readonly<Record<string, string>> = {},
    consoleFolder?: string,
  ): Promise<RunningApi> {
    const tables = await openArchiveTables();
    const folder = await mkdtemp(join(tmpdir(), 'api-'));
    const running = new RunningApi(tables, folder);
    running.closers.push(
      () => rm(folder, { recursive: true }),
      () => tables.close(),
    );
    try {
      running.operator = await running.addToken({ name: 'olivia', role: 'operator', participants: 'all' });
      running.viewer = await running.addToken({ name: 'victor', role: 'viewer', participants: 'all' });
      running.limited = await running.addToken({
        name: 'wendy',
        role: 'operator',
        participants: ['WPGENCO'],
      });
      await running.listen(overrides, consoleFolder);
      return running;
    } catch (error) {
      await running.close();
      throw error;
    }
  }

  /** Adds a token to API_ACCESS_FILE. @returns its text */
  async addToken(token: Omit<NewToken, 'expiresAt'> & { readonly expiresAt?: Date }): Promise<string> {
    const now = new Date();
    const { text, entry } = createAccessToken({ expiresAt: new Date(now.getTime() + DAY_MS), ...token }, now);
    this.tokens.push(entry);
    await this.writeAccess();
    return text;
  }

  /** Removes a token from API_ACCESS_FILE. */
  async revokeToken(text: string): Promise<void> {
    const [, id] = text.split('_');
    this.tokens.splice(
      this.tokens.findIndex((each) => each.id === id),
      1,
    );
    await this.writeAccess();
  }

  /** Writes API_ACCESS_FILE. @param further its other members; by default the last ones */
  async writeAccess(further = this.furtherAccess): Promise<void> {
    this.furtherAccess = further;
    await writeFileAtomically(this.accessFile, stringify({ tokens: this.tokens, ...further }));
  }

  /** With the token of a viewer of all participants by default. */
  get(path: string, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.send('GET', path, { token: this.viewer, ...options });
  }

  /** With the token of an operator of all participants by default. */
  post(path: string, body: unknown, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.send('POST', path, { token: this.operator, ...options }, body);
  }

  async send(
    method: string,
    path: string,
    { token, headers = {} }: RequestOptions,
    body?: unknown,
  ): Promise<ApiResponse> {
    const response = await fetch(this.urls.api + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const result = {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      body: text,
      headers: response.headers,
      json: <T>() => JSON.parse(text) as T,
    };
    (documented ??= new DocumentedResponses()).check(method, path, result);
    return result;
  }

  async close(): Promise<void> {
    for (const close of this.closers.splice(0).toReversed()) await close();
  }

  private get accessFile(): string {
    return join(this.folder, 'access.yaml');
  }

  /** Another replica, with the same database and access file. The caller closes it. */
  async startReplica(overrides: Readonly<Record<string, string>> = {}): Promise<RunningApi> {
    const replica = new RunningApi(this.tables, this.folder, this.tokens);
    Object.assign(replica, { operator: this.operator, viewer: this.viewer, limited: this.limited });
    await replica.listen(overrides);
    return replica;
  }

  private async listen(overrides: Readonly<Record<string, string>>, consoleFolder?: string): Promise<void> {
    const settings = readSettings(definition, {
      PORT: '0',
      DATABASE_URL: this.tables.apiUrl,
      API_ACCESS_FILE: this.accessFile,
      CONFIG_FILE,
      LOG_LEVEL: 'fatal',
      TLS_RELOAD_INTERVAL_MS: '10',
      ...overrides,
    });
    const log = createLogger({ name: 'api', level: 'fatal', format: 'json' });
    const running = await buildApp(
      { ...app, prepare: (server, read) => prepareServer(server, read, consoleFolder) },
      settings,
      log,
    );
    this.closers.push(() => running.close());
    const { urls, managementUrl } = await running.listen();
    Object.assign(this.urls, { api: urls[0], management: managementUrl });
  }
}
