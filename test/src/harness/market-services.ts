import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ReportingClientOptions,
  type TlsMaterial,
  TokenSource,
  type TokenSourceOptions,
} from '@ssb/market';
import { createTestDatabase, type TestDatabase } from '@ssb/testing';
import {
  AppProcess,
  type Authority,
  createAuthority,
  type DatabaseUrls,
  ensureSchemas,
  freeSystemPorts,
  type Ports,
  REPOSITORY_ROOT,
} from '@ssb/tools';

/** An account of the token service, with its secret. */
export interface MarketAccount {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The operator's side as it is deployed: token service and reporting API as processes, over TLS, in one PostgreSQL database. */
export class MarketServices {
  private constructor(
    private readonly folder: string,
    private readonly database: TestDatabase,
    private readonly databaseUrls: DatabaseUrls,
    private readonly authority: Authority,
    private readonly ports: Ports,
  ) {}

  token!: AppProcess;
  reporting!: AppProcess;

  /** The token service has been running for most of the time that a key signs, so that its next key is published. */
  static async start(): Promise<MarketServices> {
    const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-test-'));
    const [database, authority, ports] = await Promise.all([
      createTestDatabase(),
      createAuthority({ name: 'Test authority', now: new Date() }),
      freeSystemPorts(),
    ]);
    const databaseUrls = await ensureSchemas(database.adminUrl, join(folder, 'secrets'));
    const services = new MarketServices(folder, database, databaseUrls, authority, ports);
    try {
      services.token = await services.tokenService();
      await services.token.start();
      await services.letTimePass('50 minutes');
      services.reporting = await services.reportingApi();
      await services.reporting.start();
      return services;
    } catch (error) {
      await services.stop();
      throw error;
    }
  }

  get tokenUrl(): string {
    return `https://127.0.0.1:${this.ports.token}`;
  }

  get doorUrl(): string {
    return `http://127.0.0.1:${this.ports.operator}`;
  }

  /** The signing keys grow older by this much, and the token service is started anew: it looks at its keys then. */
  async letTimePass(interval: string): Promise<void> {
    await this.database.query(
      `UPDATE token.signing_key SET signs_from = signs_from - interval '${interval}'`,
    );
    await this.token.stop();
    await this.token.start();
  }

  account(clientId: string, scopes: readonly string[], ...more: string[]): MarketAccount {
    const options = scopes.flatMap((scope) => ['--scope', scope]);
    const made = this.accounts('create', '--client-id', clientId, ...options, ...more, '--json');
    return { clientId, clientSecret: (JSON.parse(made) as { secret: string }).secret };
  }

  /** The accounts command, as whoever manages accounts runs it. @returns what it prints */
  accounts(...args: string[]): string {
    const program = join(REPOSITORY_ROOT, 'apps/token/dist/src/accounts.js');
    const door = [
      '--url',
      `http://127.0.0.1:${this.ports['token-admin']}`,
      '--secret-file',
      this.file('admin'),
    ];
    return execFileSync(process.execPath, [program, ...args, ...door], { encoding: 'utf8' });
  }

  /** A certificate for this participant: a new one each time, and the authority to believe. */
  async certificate(participant: string): Promise<TlsMaterial> {
    const own = await this.authority.issue({ commonName: participant, usage: 'client' });
    return { ca: this.authority.cert, ...own };
  }

  tokens(account: MarketAccount, more: Partial<TokenSourceOptions> = {}): TokenSource {
    return new TokenSource({ authUrl: this.tokenUrl, ...account, ca: this.authority.cert, ...more });
  }

  /** What a client needs to ask the reporting API as this participant. */
  profile(tls: TlsMaterial): Pick<ReportingClientOptions, 'baseUrl' | 'tls'> {
    return { baseUrl: `https://127.0.0.1:${this.ports.reporting}`, tls };
  }

  async stop(): Promise<void> {
    await this.reporting?.stop();
    await this.token?.stop();
    await this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async tokenService(): Promise<AppProcess> {
    return this.process('token', {
      ...(await this.server('token')),
      PORT: String(this.ports.token),
      ISSUER: this.tokenUrl,
      KEY_ROTATION_SECONDS: '3600',
      KEY_SECRET_FILE: this.write('key-secret', randomBytes(32).toString('hex')),
      ADMIN_PORT: String(this.ports['token-admin']),
      ADMIN_SECRET_FILE: this.write('admin', randomBytes(32).toString('hex')),
    });
  }

  private async reportingApi(): Promise<AppProcess> {
    return this.process('reporting', {
      ...(await this.server('reporting')),
      PORT: String(this.ports.reporting),
      OPERATOR_PORT: String(this.ports.operator),
      JWKS_URL: `${this.tokenUrl}/.well-known/jwks.json`,
      JWKS_CA_FILE: this.file('ca.pem'),
      TOKEN_ISSUER: this.tokenUrl,
    });
  }

  private async server(name: 'token' | 'reporting'): Promise<Record<string, string>> {
    const { cert, key } = await this.authority.issue({
      commonName: name,
      hosts: ['127.0.0.1'],
      usage: 'server',
    });
    return {
      TLS_CERT_FILE: this.write(`${name}.pem`, cert),
      TLS_KEY_FILE: this.write(`${name}.key`, key),
      CLIENT_CA_FILE: this.write('ca.pem', this.authority.cert),
      DATABASE_URL: this.databaseUrls[name],
    };
  }

  private process(app: string, environment: Record<string, string>): AppProcess {
    return new AppProcess({ name: app, app, logFolder: join(this.folder, 'logs'), environment });
  }

  private file(name: string): string {
    return join(this.folder, name);
  }

  private write(name: string, content: string): string {
    writeFileSync(this.file(name), content, { mode: 0o600 });
    return this.file(name);
  }
}
