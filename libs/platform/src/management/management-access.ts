import { createHash, timingSafeEqual } from 'node:crypto';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { parseSecret, readSecretFile } from '../files/encrypted-file.js';
import { ProblemException } from '../http-errors/problem-exception.js';
import { FileWatcher } from '../files/file-watcher.js';
import type { Logger } from '../logging/logger.js';

const BEARER = /^Bearer +(\S.*)$/i;

export interface ManagementAccessSettings {
  readonly MANAGEMENT_TOKEN_FILE?: string;
  /** Of an app with actions. */
  readonly MANAGEMENT_OPERATE_TOKEN_FILE?: string;
  readonly TLS_RELOAD_INTERVAL_MS: number;
}

/** The part of Fastify's reply that is used. */
interface Reply {
  header(name: string, value: string): unknown;
}

/**
 * Decides who sees the metrics and the state (right `status`), and who may act (right `operate`, which includes `status`). Without
 * MANAGEMENT_TOKEN_FILE all see them; without MANAGEMENT_OPERATE_TOKEN_FILE nobody acts.
 */
export class ManagementAccess implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly watchers: readonly FileWatcher[];
  private status: Buffer | undefined;
  private operate: Buffer | undefined;

  private constructor(
    digests: { readonly status: Buffer | undefined; readonly operate: Buffer | undefined },
    settings: ManagementAccessSettings,
    log: Logger,
  ) {
    this.status = digests.status;
    this.operate = digests.operate;
    const watch = (path: string | undefined, apply: (digest: Buffer) => void): FileWatcher[] =>
      path === undefined
        ? []
        : [
            new FileWatcher({
              paths: [path],
              intervalMs: settings.TLS_RELOAD_INTERVAL_MS,
              apply: ([content]) => apply(sha256(parseSecret(path, String(content)))),
              onApplied: () => log.info({ path }, 'management token reloaded'),
              onRefused: (error) => log.error({ err: error }, 'management token reload failed'),
            }),
          ];
    this.watchers = [
      ...watch(settings.MANAGEMENT_TOKEN_FILE, (digest) => (this.status = digest)),
      ...watch(settings.MANAGEMENT_OPERATE_TOKEN_FILE, (digest) => (this.operate = digest)),
    ];
  }

  /** @throws SecretFileError when a token file is missing or too short */
  static async open(settings: ManagementAccessSettings, log: Logger): Promise<ManagementAccess> {
    const read = async (path: string | undefined): Promise<Buffer | undefined> =>
      path === undefined ? undefined : sha256(await readSecretFile(path));
    const status = await read(settings.MANAGEMENT_TOKEN_FILE);
    const operate = await read(settings.MANAGEMENT_OPERATE_TOKEN_FILE);
    return new ManagementAccess({ status, operate }, settings, log);
  }

  /** @param authorization the header of the request. The comparison takes the same time for every token. */
  isAllowed(authorization: string | undefined): boolean {
    if (this.status === undefined) return true;
    const digest = digestOf(authorization);
    const mayOperate = matches(digest, this.operate);
    return matches(digest, this.status) || mayOperate;
  }

  /** @throws ProblemException 401 with the challenge of RFC 6750 §3 */
  require(authorization: string | undefined, reply: Reply): void {
    if (this.isAllowed(authorization)) return;
    void reply.header('www-authenticate', 'Bearer');
    throw new ProblemException(
      401,
      'Unauthorized',
      'This address requires the token of MANAGEMENT_TOKEN_FILE as "Authorization: Bearer".',
    );
  }

  /** @throws ProblemException 401 without the token of MANAGEMENT_OPERATE_TOKEN_FILE, 403 when that is not set */
  requireOperate(authorization: string | undefined, reply: Reply): void {
    if (this.operate === undefined)
      throw new ProblemException(
        403,
        'Forbidden',
        'This app accepts no actions. Set MANAGEMENT_OPERATE_TOKEN_FILE to the file of the token that allows them.',
      );
    if (matches(digestOf(authorization), this.operate)) return;
    void reply.header('www-authenticate', 'Bearer');
    throw new ProblemException(
      401,
      'Unauthorized',
      'This address requires the token of MANAGEMENT_OPERATE_TOKEN_FILE as "Authorization: Bearer".',
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all(this.watchers.map((watcher) => watcher.start()));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.watchers.map((watcher) => watcher.stop()));
  }
}

/** Undefined without a bearer token. */
function digestOf(authorization: string | undefined): Buffer | undefined {
  const token = BEARER.exec(authorization ?? '')?.[1];
  return token === undefined ? undefined : sha256(Buffer.from(token.trim()));
}

function matches(digest: Buffer | undefined, expected: Buffer | undefined): boolean {
  return digest !== undefined && expected !== undefined && timingSafeEqual(digest, expected);
}

function sha256(content: Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}
