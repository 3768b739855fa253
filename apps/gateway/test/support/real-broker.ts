import { type Channel, didDocument, signRoleDecision } from '@ssb/bus';
import { freePort } from '@ssb/dev/free-ports';
import { createIdentityToken, didOfKey, generatePrivateKey, DEFAULT_DID_METHOD } from '@ssb/identity';
import { startTestRedis, type TestRedis, waitFor } from '@ssb/testing';
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { request } from 'undici';

const PROGRAM = resolve('bundles/broker.js');
const AUDIENCE = 'urn:message-bus:broker';
export const USER_ROLE = 'user.roles.messagebus.apps.bridge.iam.local';

/** Writes a random secret to a file that its owner alone reads. */
export function writeSecretFile(folder: string, name: string): string {
  const path = join(folder, name);
  writeFileSync(path, randomBytes(48).toString('base64'), { mode: 0o600 });
  return path;
}

/** The real broker in a process of its own, with a real Redis, and its administrator. */
export interface RealBroker {
  readonly url: string;
  /** Ends the process with SIGKILL, like a crash. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Its Redis: `kill` stops it while the broker runs, `start` starts it again with its data. */
  readonly store: Pick<TestRedis, 'kill' | 'start'>;
  stop(): Promise<void>;
  /** Resolves when the broker refuses every bearer token that it issued before. */
  waitForTokenExpiry(): Promise<void>;
  decide(did: string, decision: 'approve' | 'reject' | 'revoke'): Promise<void>;
  /** The roles in a DID document. */
  getDocumentedRoles(did: string): Promise<string[]>;
  /** A channel with topics `free` (any JSON) and `strict` (an object with a whole number `n`). */
  createChannel(rights?: {
    publishers?: string[];
    subscribers?: string[];
    maxMsgAge?: number;
  }): Promise<string>;
  changeChannel(fqcn: string, change: Channel): Promise<void>;
}

export async function startRealBroker(overrides: Readonly<Record<string, string>> = {}): Promise<RealBroker> {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: build it with "npx tsc -b apps/broker".`);
  const redis = await startTestRedis();
  const folder = mkdtempSync(join(tmpdir(), 'gateway-broker-'));
  const issuer = generatePrivateKey();
  const form = { method: overrides['DID_METHOD'] ?? DEFAULT_DID_METHOD };
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    PORT: String(port),
    MANAGEMENT_PORT: '0',
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
    REDIS_URL: redis.url,
    TOKEN_SECRET_FILE: writeSecretFile(folder, 'token.secret'),
    IDENTITY_SECRET_FILE: writeSecretFile(folder, 'identity.secret'),
    IDENTITY_KEY_FILE: join(folder, 'identity.key'),
    ROLE_ISSUERS: didOfKey(issuer, form),
    CHANNEL_CREATORS: didOfKey(issuer, form),
    ...overrides,
  };
  let child = await launch(environment).catch(async (error: unknown) => {
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const post = async (path: string, body: unknown, token?: string, method: 'POST' | 'PATCH' = 'POST') => {
    const response = await request(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode > 299) throw new Error(`${path} responded with ${response.statusCode}: ${text}`);
    return JSON.parse(text) as unknown;
  };
  const login = async (): Promise<string> => {
    const identityToken = createIdentityToken({ key: issuer, form, audience: AUDIENCE, now: new Date() });
    return ((await post('/auth/login', { identityToken })) as { token: string }).token;
  };
  return {
    url,
    store: redis,
    kill: () => end('SIGKILL'),
    start: async () => {
      child = await launch(environment);
    },
    stop: async () => {
      await end('SIGTERM');
      await redis.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    waitForTokenExpiry: async () => {
      const authorization = `Bearer ${await login()}`;
      await waitFor('the token expires', async () => {
        const response = await request(`${url}/role/claim`, { headers: { authorization } });
        await response.body.dump();
        return response.statusCode === 401;
      });
    },
    decide: async (did, decision) => {
      const issued = { did, role: USER_ROLE, decision };
      const token = signRoleDecision({ key: issuer, audience: AUDIENCE, form }, issued);
      await post('/role/decision', { token });
    },
    getDocumentedRoles: async (did) => {
      const headers = { authorization: `Bearer ${await login()}` };
      const response = await request(`${url}/did/${did}`, { headers });
      const { service } = didDocument.parse(await response.body.json());
      return service.map(({ serviceEndpoint }) => serviceEndpoint.role);
    },
    createChannel: async (rights = {}) => {
      const fqcn = `c${randomUUID().slice(0, 8)}.channels.messagebus.apps.bridge.iam.local`;
      const token = await login();
      const strict = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
      const topics = [
        { namespace: 'free', schema: '{}' },
        { namespace: 'strict', schema: JSON.stringify(strict) },
      ];
      await post('/channel', { fqcn, topics, ...rights }, token);
      return fqcn;
    },
    changeChannel: async (fqcn, change) => {
      await post('/channel', { fqcn, ...change }, await login(), 'PATCH');
    },
  };
}

async function launch(environment: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = fork(PROGRAM, [], {
    env: environment,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the broker ended with status ${code}`);
    }),
  ])) as [unknown];
  if (typeof message !== 'object') throw new Error('the broker did not report that it listens');
  return child;
}
