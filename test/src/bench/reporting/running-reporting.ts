import type { AccessToken, TokenProvider } from '@ssb/market';
import { BULK_MEDIA_TYPE, BULK_PATH, OperatorClient } from '@ssb/market-admin';
import { createTestDatabase, type TestDatabase } from '@ssb/testing';
import {
  AppProcess,
  type Authority,
  createAuthority,
  type CredentialFiles,
  ensureSchemas,
  freeSystemPorts,
} from '@ssb/tools';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { UnexpectedAnswerError } from '../load.js';
import { AUDIENCE, type Issuer, startIssuer } from './token-issuer.js';

/** The reporting API as a process of its own, with certificates and tokens at hand. */
export interface RunningReporting {
  readonly url: string;
  readonly folder: string;
  readonly database: TestDatabase;
  readonly process: AppProcess;
  readonly server: CredentialFiles;
  readonly ca: string;
  readonly operator: OperatorClient;
  /** Loads the JSON lines of one body, as they are. @throws UnexpectedAnswerError */
  loadLines(body: string): Promise<void>;
  /** A participant's connections: at most so many. */
  connect(participant: string, connections: number): Promise<Agent>;
  /** A token that reads everything of the participant. */
  token(participant: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startReporting(): Promise<RunningReporting> {
  const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-bench-'));
  const authority = await createAuthority({ name: 'Test authority', now: new Date() });
  const issuer = await startIssuer();
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, authority.cert);
  const server = await serverCredential(folder, authority);
  const ports = await freeSystemPorts();
  const database = await createTestDatabase();
  const databaseUrls = await ensureSchemas(database.adminUrl, join(folder, 'secrets'));
  const process = new AppProcess({
    name: 'reporting',
    app: 'reporting',
    logFolder: join(folder, 'logs'),
    environment: {
      PORT: String(ports.reporting),
      OPERATOR_PORT: String(ports.operator),
      TLS_CERT_FILE: server.certificate,
      TLS_KEY_FILE: server.key,
      CLIENT_CA_FILE: ca,
      JWKS_URL: issuer.jwksUrl,
      TOKEN_ISSUER: issuer.issuer,
      TOKEN_AUDIENCE: AUDIENCE,
      DATABASE_URL: databaseUrls.reporting,
    },
  });
  const operatorUrl = `http://127.0.0.1:${ports.operator}`;
  const operatorToken = await issuer.sign('MARKETRECORDS|OPERATOR|CR');
  const operator = new OperatorClient({
    baseUrl: operatorUrl,
    tokenSource: fixedToken(operatorToken),
    // A bulk of megabytes is one transaction.
    timeoutMs: 300_000,
  });
  const stop = async (): Promise<void> => {
    await process.stop();
    await operator.close();
    await issuer.stop();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await process.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `https://127.0.0.1:${ports.reporting}`,
    folder,
    database,
    process,
    server,
    ca,
    operator,
    loadLines: (body) => loadLines(operatorUrl, operatorToken, body),
    connect: (participant, connections) => connect(authority, participant, connections),
    token: (participant) => tokenOf(issuer, participant),
    stop,
  };
}

async function serverCredential(folder: string, authority: Authority): Promise<CredentialFiles> {
  const { cert, key } = await authority.issue({
    commonName: 'reporting API',
    hosts: ['127.0.0.1'],
    usage: 'server',
  });
  const files = { certificate: join(folder, 'server.pem'), key: join(folder, 'server.key') };
  writeFileSync(files.certificate, cert);
  writeFileSync(files.key, key, { mode: 0o600 });
  return files;
}

async function connect(authority: Authority, participant: string, connections: number): Promise<Agent> {
  const own = await authority.issue({ commonName: participant, usage: 'client' });
  return new Agent({ connections, connect: { ca: authority.cert, ...own } });
}

async function loadLines(operatorUrl: string, token: string, body: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': BULK_MEDIA_TYPE };
  const answer = await request(`${operatorUrl}${BULK_PATH}`, {
    method: 'POST',
    headers,
    body,
    // A body of megabytes is one transaction.
    headersTimeout: 300_000,
  });
  const said = await answer.body.text();
  if (answer.statusCode > 201) throw new UnexpectedAnswerError(BULK_PATH, answer.statusCode, said);
}

function tokenOf(issuer: Issuer, participant: string): Promise<string> {
  return issuer.sign(`PRUDENTIAL|${participant}|R SETTLEMENT|${participant}|R`);
}

/** One token for as long as a benchmark runs. */
function fixedToken(value: string): TokenProvider {
  const token: AccessToken = {
    value,
    scope: undefined,
    obtainedAt: Date.now(),
    expiresAt: Date.now() + 24 * 3_600_000,
  };
  return { token: () => Promise.resolve(token), tokenInsteadOf: () => Promise.resolve(token) };
}
