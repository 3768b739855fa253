import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '@ssb/free-ports';
import { waitFor } from '@ssb/testing';
import { Agent, fetch } from 'undici';
import { startServer } from '../../lifecycle/launched-process.js';
import type { ResourceStack } from '../../lifecycle/resource-stack.js';

const START_TIMEOUT_MS = 120_000;

export interface ApiServerOptions {
  readonly kubeApiserver: string;
  readonly etcd: string;
  /** For data, certificates and logs. */
  readonly folder: string;
}

/** A real kube-apiserver on loopback, with etcd and nothing else: no controller, no scheduler, no kubelet. */
export class ApiServer {
  private constructor(
    readonly kubeconfig: string,
    private readonly url: string,
    private readonly token: string,
    private readonly dispatcher: Agent,
  ) {}

  static async start(
    { kubeApiserver, etcd, folder }: ApiServerOptions,
    resources: ResourceStack,
  ): Promise<ApiServer> {
    const [client = 0, peer = 0, port = 0] = await freePorts(3);
    const [etcdUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    const keyFile = join(folder, 'service-account.key');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(keyFile, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
    const token = randomBytes(24).toString('hex');
    writeFileSync(join(folder, 'tokens.csv'), `${token},administrator,1,system:masters\n`, { mode: 0o600 });

    await run(resources, join(folder, 'etcd.log'), etcd, [
      ...[
        '--data-dir',
        join(folder, 'etcd'),
        '--listen-client-urls',
        etcdUrl,
        '--advertise-client-urls',
        etcdUrl,
      ],
      ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
      ...['--initial-cluster', `default=${peerUrl}`],
    ]);
    await run(resources, join(folder, 'kube-apiserver.log'), kubeApiserver, [
      ...['--etcd-servers', etcdUrl, '--bind-address', '127.0.0.1', '--secure-port', String(port)],
      ...['--cert-dir', join(folder, 'certificates'), '--token-auth-file', join(folder, 'tokens.csv')],
      ...['--authorization-mode', 'RBAC', '--service-cluster-ip-range', '10.0.0.0/24'],
      ...['--service-account-issuer', 'https://kubernetes.default.svc'],
      ...['--service-account-key-file', keyFile, '--service-account-signing-key-file', keyFile],
    ]);
    const authorityFile = join(folder, 'certificates', 'apiserver.crt');
    await waitFor(
      'the certificate of kube-apiserver',
      () => existsSync(authorityFile) && statSync(authorityFile).size > 0,
      START_TIMEOUT_MS,
    );
    const url = `https://127.0.0.1:${port}`;
    const dispatcher = new Agent({ connect: { ca: readFileSync(authorityFile) } });
    await resources.defer(async () => dispatcher.close());
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, JSON.stringify(createKubeconfig(url, authorityFile, token)), { mode: 0o600 });
    const server = new ApiServer(kubeconfig, url, token, dispatcher);
    await waitFor('kube-apiserver to be ready', () => server.isReady(), START_TIMEOUT_MS);
    return server;
  }

  /** False also while the server refuses connections. */
  private async isReady(): Promise<boolean> {
    try {
      return (await this.request('GET', '/readyz')).ok;
    } catch {
      return false;
    }
  }

  /** @returns whether the server accepted the request, its answer, and its warnings */
  async request(
    method: string,
    path: string,
    body?: unknown,
    contentType = 'application/json',
  ): Promise<{ readonly ok: boolean; readonly text: string; readonly warnings: readonly string[] }> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      dispatcher: this.dispatcher,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': contentType },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const warning = answer.headers.get('warning');
    return { ok: answer.ok, text: await answer.text(), warnings: warning === null ? [] : [warning] };
  }
}

async function run(
  resources: ResourceStack,
  logFile: string,
  program: string,
  args: readonly string[],
): Promise<void> {
  const log = openSync(logFile, 'w');
  await startServer(program, args, ['ignore', log, log], resources);
}

function createKubeconfig(server: string, authorityFile: string, token: string): unknown {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'administrator', namespace: 'bridge' } }],
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority': authorityFile } }],
    users: [{ name: 'administrator', user: { token } }],
  };
}
