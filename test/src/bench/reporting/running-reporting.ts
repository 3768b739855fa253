import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorClient, type AccessToken, type TokenSource } from '@ssb/market';
import { AppProcess, createAuthority, freePorts, type Authority, type CredentialFiles } from '@ssb/tools';
import { Agent } from 'undici';
import { AUDIENCE, startIssuer, type Issuer } from './issuer.js';

/** The reporting API as a process of its own, with certificates and tokens at hand. */
export interface RunningReporting {
  readonly url: string;
  readonly folder: string;
  readonly process: AppProcess;
  readonly server: CredentialFiles;
  readonly ca: string;
  readonly operator: OperatorClient;
  /** A participant's connections: at most so many. */
  connect(participant: string, connections: number): Promise<Agent>;
  /** A token that reads everything of the participant. */
  token(participant: string): Promise<string>;
  stop(): Promise<void>;
}

/** @param databaseUrl PostgreSQL; the embedded database when omitted */
export async function startReporting(databaseUrl?: string): Promise<RunningReporting> {
  const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-bench-'));
  const authority = await createAuthority(new Date());
  const issuer = await startIssuer();
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, authority.certificate);
  const server = await serverCredential(folder, authority);
  const ports = await freePorts();
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
      DATA_DIR: join(folder, 'records'),
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    },
  });
  const operator = new OperatorClient({
    baseUrl: `http://127.0.0.1:${ports.operator}`,
    tokenSource: fixedToken(await issuer.sign('MARKETRECORDS|OPERATOR|CR')),
    // A bulk of megabytes is one transaction.
    timeoutMs: 300_000,
  });
  const stop = async (): Promise<void> => {
    await process.stop();
    await operator.close();
    await issuer.stop();
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
    token: (participant) => tokenOf(issuer, participant),
    stop,
  };
}

async function serverCredential(folder: string, authority: Authority): Promise<CredentialFiles> {
  const { certificate, key } = await authority.issueServer('reporting API', ['127.0.0.1']);
  const files = { certificate: join(folder, 'server.pem'), key: join(folder, 'server.key') };
  writeFileSync(files.certificate, certificate);
  writeFileSync(files.key, key, { mode: 0o600 });
  return files;
}

async function connect(authority: Authority, participant: string, connections: number): Promise<Agent> {
  const { certificate: cert, key } = await authority.issueClient(participant);
  return new Agent({ connections, connect: { ca: authority.certificate, cert, key } });
}

function tokenOf(issuer: Issuer, participant: string): Promise<string> {
  return issuer.sign(`PRUDENTIAL|${participant}|R SETTLEMENT|${participant}|R`);
}

/** A source that was given its token; the client asks it for nothing else. */
function fixedToken(value: string): TokenSource {
  const token: AccessToken = {
    value,
    scope: undefined,
    obtainedAt: Date.now(),
    expiresAt: Date.now() + 24 * 3_600_000,
  };
  const source = { token: () => Promise.resolve(token), tokenInsteadOf: () => Promise.resolve(token) };
  return source as unknown as TokenSource;
}
