import type { TlsMaterial } from '@ssb/net';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ReportingClientOptions, TokenSource, type TokenSourceOptions } from '@ssb/market';
import { createTestDatabase, type TestDatabase } from '@ssb/testing';
import {
  AppProcess,
  type Authority,
  createAuthority,
  type DatabaseUrls,
  ensureSchemas,
  reserveSystemPorts,
  type Ports,
  REPOSITORY_ROOT,
} from '@ssb/tools';

/** An account of the token service. */
export interface MarketAccount {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Token service and reporting API as processes, with TLS and one PostgreSQL database. */
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

  /** Starts the services with a signing key that is old enough for its successor to be published. */
  static async start(): Promise<MarketServices> {
    const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-test-'));
    const [database, authority, ports] = await Promise.all([
      createTestDatabase(),
      createAuthority({ name: 'Test authority', now: new Date() }),
      reserveSystemPorts(),
    ]);
    const databaseUrls = await ensureSchemas(database.adminUrl, join(folder, 'secrets'));
    const services = new MarketServices(folder, database, databaseUrls, authority, ports);
    try {
      services.token = await services.createTokenService();
      await services.token.start();
      await services.ageSigningKeys('50 minutes');
      services.reporting = await services.createReportingApi();
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

  get operatorUrl(): string {
    return `http://127.0.0.1:${this.ports.operator}`;
  }

  /** Makes the signing keys older and restarts the token service, which reads their age at its start. */
  async ageSigningKeys(interval: string): Promise<void> {
    await this.database.query(
      `UPDATE token.signing_key SET signs_from = signs_from - interval '${interval}'`,
    );
    await this.token.stop();
    await this.token.start();
  }

  /** Creates an account. @param options further options of the accounts command */
  createAccount(clientId: string, scopes: readonly string[], ...options: string[]): MarketAccount {
    const scopeOptions = scopes.flatMap((scope) => ['--scope', scope]);
    const created = this.runAccounts(
      'create',
      '--client-id',
      clientId,
      ...scopeOptions,
      ...options,
      '--json',
    );
    return { clientId, clientSecret: (JSON.parse(created) as { secret: string }).secret };
  }

  /** Runs the accounts command of the token service. @returns its output */
  runAccounts(...args: string[]): string {
    const program = join(REPOSITORY_ROOT, 'apps/token/dist/src/accounts.js');
    const adminOptions = [
      '--url',
      `http://127.0.0.1:${this.ports['token-admin']}`,
      '--secret-file',
      this.pathOf('admin'),
    ];
    return execFileSync(process.execPath, [program, ...args, ...adminOptions], { encoding: 'utf8' });
  }

  /** Issues a new client certificate for a participant. */
  async issueCertificate(participant: string): Promise<TlsMaterial> {
    const credential = await this.authority.issue({ commonName: participant, usage: 'client' });
    return { ca: this.authority.cert, ...credential };
  }

  createTokenSource(account: MarketAccount, options: Partial<TokenSourceOptions> = {}): TokenSource {
    return new TokenSource({ authUrl: this.tokenUrl, ...account, ca: this.authority.cert, ...options });
  }

  /** Options of a reporting client. */
  clientOptions(tls: TlsMaterial): Pick<ReportingClientOptions, 'baseUrl' | 'tls'> {
    return { baseUrl: `https://127.0.0.1:${this.ports.reporting}`, tls };
  }

  async stop(): Promise<void> {
    await this.reporting?.stop();
    await this.token?.stop();
    await this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async createTokenService(): Promise<AppProcess> {
    return this.createProcess('token', {
      ...(await this.serverSettings('token')),
      PORT: String(this.ports.token),
      MANAGEMENT_PORT: '0',
      ISSUER: this.tokenUrl,
      KEY_ROTATION_SECONDS: '3600',
      KEY_SECRET_FILE: this.writeFile('key-secret', randomBytes(32).toString('hex')),
      ADMIN_PORT: String(this.ports['token-admin']),
      ADMIN_SECRET_FILE: this.writeFile('admin', randomBytes(32).toString('hex')),
    });
  }

  private async createReportingApi(): Promise<AppProcess> {
    return this.createProcess('reporting', {
      ...(await this.serverSettings('reporting')),
      PORT: String(this.ports.reporting),
      MANAGEMENT_PORT: '0',
      OPERATOR_PORT: String(this.ports.operator),
      JWKS_URL: `${this.tokenUrl}/.well-known/jwks.json`,
      JWKS_CA_FILE: this.pathOf('ca.pem'),
      TOKEN_ISSUER: this.tokenUrl,
    });
  }

  private async serverSettings(name: 'token' | 'reporting'): Promise<Record<string, string>> {
    const { cert, key } = await this.authority.issue({
      commonName: name,
      hosts: ['127.0.0.1'],
      usage: 'server',
    });
    return {
      TLS_CERT_FILE: this.writeFile(`${name}.pem`, cert),
      TLS_KEY_FILE: this.writeFile(`${name}.key`, key),
      CLIENT_CA_FILE: this.writeFile('ca.pem', this.authority.cert),
      DATABASE_URL: this.databaseUrls[name],
    };
  }

  private createProcess(app: string, environment: Record<string, string>): AppProcess {
    return new AppProcess({ name: app, app, logFolder: join(this.folder, 'logs'), environment });
  }

  private pathOf(name: string): string {
    return join(this.folder, name);
  }

  private writeFile(name: string, content: string): string {
    writeFileSync(this.pathOf(name), content, { mode: 0o600 });
    return this.pathOf(name);
  }
}
