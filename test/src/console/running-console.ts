import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@ssb/dev/free-ports';
import { type AccessToken, createAccessToken } from '@ssb/keys';
import { writeFileAtomically } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { startOpenIdProvider } from '@ssb/testing/openid-provider';
import { type AppProcess, ResourceStack } from '@ssb/tools';
import { parse, stringify } from 'yaml';
import { FilledSystem } from '../harness/filled-system.js';

const HOUR_MS = 3_600_000;
/** The process whose console the tests open. */
const API = 'api-of-the-console';

interface AccessFile {
  readonly tokens: readonly AccessToken[];
}

/** An API of a filled system that serves the console, with OpenID Connect. Tests stop it while the system runs. */
export class RunningConsole {
  private constructor(
    readonly system: FilledSystem,
    readonly api: AppProcess,
    readonly origin: string,
    /** For files of tests. */
    readonly folder: string,
    private readonly accessFile: string,
    private readonly resources: ResourceStack,
  ) {}

  static async start(): Promise<RunningConsole> {
    const folder = mkdtempSync(join(tmpdir(), 'console-'));
    const resources = new ResourceStack();
    await resources.defer(() => rmSync(folder, { recursive: true, force: true }));
    try {
      const system = await FilledSystem.start(folder);
      await resources.defer(() => system.stop());
      const [port] = await freePorts(1);
      const origin = `http://127.0.0.1:${port}`;
      const provider = await startOpenIdProvider(`${origin}/sign-in/callback`);
      await resources.defer(() => provider.stop());
      const [accessFile, secretFile] = [join(folder, 'console-access.yaml'), join(folder, 'client-secret')];
      const access = parse(readFileSync(system.accessFile, 'utf8')) as AccessFile;
      writeFileSync(accessFile, stringify({ ...access, openIdConnect: provider.access }), { mode: 0o600 });
      writeFileSync(secretFile, provider.clientSecret, { mode: 0o600 });
      const api = await system.running.createReplica('api', API, {
        PORT: String(port),
        CONSOLE_URL: origin,
        API_ACCESS_FILE: accessFile,
        OPENID_CONNECT_CLIENT_ID: provider.clientId,
        OPENID_CONNECT_CLIENT_SECRET_FILE: secretFile,
        TLS_RELOAD_INTERVAL_MS: '100',
        // The defaults: a page of the console must not exceed them.
        CALLER_REQUESTS_PER_SECOND: '50',
        CALLER_CONCURRENT_REQUESTS: '8',
      });
      await api.start();
      await resources.defer(() => api.stop());
      return new RunningConsole(system, api, origin, folder, accessFile, resources);
    } catch (error) {
      await resources.release();
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.resources.release();
  }

  /** Adds the token of an operator of all participants. @returns its text once the API knows it, and what removes it */
  async addToken(name: string): Promise<{ readonly text: string; readonly revoke: () => Promise<void> }> {
    const now = new Date();
    const expiresAt = new Date(now.getTime() + HOUR_MS);
    const grant = { name, role: 'operator', participants: 'all', expiresAt } as const;
    const { text, entry } = createAccessToken(grant, now);
    const reloads = this.countReloads();
    await this.changeTokens((tokens) => [...tokens, entry]);
    await waitFor('the token at the API', () => this.countReloads() > reloads);
    return { text, revoke: () => this.changeTokens((tokens) => tokens.filter(({ id }) => id !== entry.id)) };
  }

  private countReloads(): number {
    return this.system.running.linesOf(API).filter(({ msg }) => msg === 'access file reloaded').length;
  }

  private async changeTokens(
    change: (tokens: readonly AccessToken[]) => readonly AccessToken[],
  ): Promise<void> {
    const access = parse(readFileSync(this.accessFile, 'utf8')) as AccessFile;
    await writeFileAtomically(this.accessFile, stringify({ ...access, tokens: change(access.tokens) }));
  }
}
