import type { AccessToken, TokenProvider } from '@ssb/market';
import { OperatorClient } from '@ssb/market/admin';
import { createTestDatabase } from '@ssb/testing';
import {
  AppProcess,
  type Authority,
  createAuthority,
  type CredentialFiles,
  ensureSchemas,
  reserveSystemPorts,
} from '@ssb/tools';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { AUDIENCE, startTokenIssuer } from './token-issuer.js';

/** The reporting API in a process of its own, with certificates and tokens. */
export interface RunningReporting {
  readonly url: string;
  readonly folder: string;
  readonly process: AppProcess;
  readonly server: CredentialFiles;
  readonly ca: string;
  readonly operator: OperatorClient;
  /** A client with a certificate of the participant. */
  connect(participant: string, connections: number): Promise<Agent>;
  /** A token that may read everything of the participant. */
  signToken(participant: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startReporting(): Promise<RunningReporting> {
  const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-bench-'));
  const authority = await createAuthority({ name: 'Test authority', now: new Date() });
  const issuer = await startTokenIssuer();
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, authority.cert);
  const server = await issueServerCertificate(folder, authority);
  const ports = await reserveSystemPorts();
  const database = await createTestDatabase();
  const databaseUrls = await ensureSchemas(database.adminUrl, join(folder, 'secrets'));
  const process = new AppProcess({
    name: 'reporting',
    app: 'reporting',
    logFolder: join(folder, 'logs'),
    environment: {
      PORT: String(ports.reporting),
      MANAGEMENT_PORT: '0',
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
    tokenSource: createFixedTokenProvider(operatorToken),
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
    process,
    server,
    ca,
    operator,
    connect: (participant, connections) => connect(authority, participant, connections),
    signToken: (participant) => issuer.sign(`PRUDENTIAL|${participant}|R SETTLEMENT|${participant}|R`),
    stop,
  };
}

async function issueServerCertificate(folder: string, authority: Authority): Promise<CredentialFiles> {
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
  const credential = await authority.issue({ commonName: participant, usage: 'client' });
  return new Agent({ connections, connect: { ca: authority.cert, ...credential } });
}

/** Always provides the same token. */
function createFixedTokenProvider(value: string): TokenProvider {
  const token: AccessToken = {
    value,
    scope: undefined,
    obtainedAt: Date.now(),
    expiresAt: Date.now() + 24 * 3_600_000,
  };
  return { token: () => Promise.resolve(token), replaceToken: () => Promise.resolve(token) };
}
