import { freePorts } from '@ssb/dev/free-ports';
import { type ReportingClientOptions, TokenSource, type TokenSourceOptions } from '@ssb/market';
import type { TlsMaterial } from '@ssb/net';
import { createTestDatabase, type TestDatabase } from '@ssb/testing';
import {
  AppProcess,
  type Authority,
  createAuthority,
  type DatabaseUrls,
  ensureSchemas,
  type LogLine,
  ResourceStack,
} from '@ssb/tools';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP_RUNTIME } from './app-runtime.js';

/** An account of the token service. */
export interface MarketAccount {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A participant with its account and client certificate. */
export interface MarketParticipant {
  readonly code: string;
  readonly account: MarketAccount;
  readonly tls: TlsMaterial;
}

/** A reporting API. */
export interface RunningMarket {
  readonly url: string;
  readonly operatorUrl: string;
  readonly process: AppProcess;
}

export interface MarketOptions {
  readonly onLog?: (name: string, line: LogLine) => void;
  /** Age of the signing key when the first reporting API starts, as PostgreSQL reads it. Default: none. */
  readonly signingKeyAge?: string;
}

/** Token service and reporting APIs as processes, with TLS. Each has a PostgreSQL database. */
export class MarketServices {
  readonly folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-test-'));
  private readonly resources = new ResourceStack();
  /** They are created one after another, because their servers share the roles. */
  private databases: Promise<unknown> = Promise.resolve();
  private authority!: Authority;
  private tokenDatabase!: TestDatabase;
  private adminUrl = '';
  private readonly adminSecret = randomBytes(32).toString('hex');
  token!: AppProcess;
  tokenUrl = '';
  /** The first reporting API. */
  market!: RunningMarket;

  private constructor(private readonly options: MarketOptions) {}

  static async start(options: MarketOptions = {}): Promise<MarketServices> {
    const services = new MarketServices(options);
    await services.resources.defer(() => rmSync(services.folder, { recursive: true, force: true }));
    try {
      services.authority = await createAuthority({ name: 'Test authority', now: new Date() });
      services.writeFile('ca.pem', services.authority.cert);
      await services.startTokenService();
      if (options.signingKeyAge !== undefined) await services.ageSigningKeys(options.signingKeyAge);
      services.market = await services.startMarket('reporting');
      return services;
    } catch (error) {
      await services.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.resources.release();
  }

  /** Starts a further reporting API. */
  async startMarket(name: string): Promise<RunningMarket> {
    const { urls } = await this.createDatabase();
    const [port, operatorPort] = await freePorts(2);
    const process = await this.startProcess('reporting', name, {
      ...(await this.serverSettings(name)),
      PORT: String(port),
      MANAGEMENT_PORT: '0',
      OPERATOR_PORT: String(operatorPort),
      JWKS_URL: `${this.tokenUrl}/.well-known/jwks.json`,
      JWKS_CA_FILE: this.pathOf('ca.pem'),
      TOKEN_ISSUER: this.tokenUrl,
      DATABASE_URL: urls.reporting,
    });
    return { url: `https://127.0.0.1:${port}`, operatorUrl: `http://127.0.0.1:${operatorPort}`, process };
  }

  /** Starts a process of an app, which `stop` stops. */
  async startProcess(
    app: string,
    name: string,
    settings: Readonly<Record<string, string>>,
  ): Promise<AppProcess> {
    const process = new AppProcess({
      name,
      app,
      logFolder: this.pathOf('logs'),
      environment: { ...APP_RUNTIME, ...settings },
      onLog: this.options.onLog,
    });
    await this.resources.defer(() => process.stop());
    await process.start();
    return process;
  }

  /** Makes the signing keys older and restarts the token service, which reads their age at its start. */
  async ageSigningKeys(interval: string): Promise<void> {
    await this.tokenDatabase.query(
      `UPDATE token.signing_key SET signs_from = signs_from - interval '${interval}'`,
    );
    await this.token.stop();
    await this.token.start();
  }

  /** Creates an account. @param bound whether its tokens are bound to a client certificate */
  async createAccount(clientId: string, scopes: readonly string[], bound = false): Promise<MarketAccount> {
    const clientSecret = randomBytes(32).toString('hex');
    await this.requestAdmin('', { clientId, secret: clientSecret, scopes, bound, ifExists: 'replace' });
    return { clientId, clientSecret };
  }

  changeAccount(change: 'disable' | 'enable', { clientId }: MarketAccount): Promise<void> {
    return this.requestAdmin(`/${change}`, { clientId });
  }

  /** An account that may load records and inject faults. */
  createOperatorAccount(): Promise<MarketAccount> {
    return this.createAccount('operator', ['MARKETRECORDS|OPERATOR|CR', 'MARKETFAULTS|OPERATOR|CRD']);
  }

  async createParticipant(code: string): Promise<MarketParticipant> {
    const scopes = [`PRUDENTIAL|${code}|R`, `SETTLEMENT|${code}|R`];
    const account = await this.createAccount(code.toLowerCase(), scopes);
    return { code, account, tls: await this.issueCertificate(code) };
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
    return { baseUrl: this.market.url, tls };
  }

  pathOf(name: string): string {
    return join(this.folder, name);
  }

  /** Writes a file that only its owner can read. @returns its path */
  writeFile(name: string, content: string): string {
    writeFileSync(this.pathOf(name), content, { mode: 0o600 });
    return this.pathOf(name);
  }

  private async startTokenService(): Promise<void> {
    const { database, urls } = await this.createDatabase();
    this.tokenDatabase = database;
    const [port, adminPort] = await freePorts(2);
    this.tokenUrl = `https://127.0.0.1:${port}`;
    this.adminUrl = `http://127.0.0.1:${adminPort}/admin/v1/accounts`;
    this.token = await this.startProcess('token', 'token', {
      ...(await this.serverSettings('token')),
      PORT: String(port),
      MANAGEMENT_PORT: '0',
      ISSUER: this.tokenUrl,
      KEY_ROTATION_SECONDS: '3600',
      KEY_SECRET_FILE: this.writeFile('key.secret', randomBytes(32).toString('hex')),
      ADMIN_PORT: String(adminPort),
      ADMIN_SECRET_FILE: this.writeFile('admin.secret', this.adminSecret),
      DATABASE_URL: urls.token,
    });
  }

  private async serverSettings(name: string): Promise<Record<string, string>> {
    const { cert, key } = await this.authority.issue({
      commonName: name,
      hosts: ['127.0.0.1'],
      usage: 'server',
    });
    return {
      TLS_CERT_FILE: this.writeFile(`${name}.pem`, cert),
      TLS_KEY_FILE: this.writeFile(`${name}.key`, key),
      CLIENT_CA_FILE: this.pathOf('ca.pem'),
    };
  }

  private createDatabase(): Promise<CreatedDatabase> {
    const created = this.databases.then(async () => {
      const database = await createTestDatabase();
      await this.resources.defer(() => database.close());
      return { database, urls: await ensureSchemas(database.adminUrl, this.pathOf('secrets')) };
    });
    this.databases = created;
    return created;
  }

  private async requestAdmin(path: string, body: object): Promise<void> {
    const response = await fetch(this.adminUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.adminSecret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the token service refused ${path}: ${response.status} ${text}`);
  }
}

interface CreatedDatabase {
  readonly database: TestDatabase;
  readonly urls: DatabaseUrls;
}
