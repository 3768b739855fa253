import { createHash, timingSafeEqual } from 'node:crypto';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { parseSecret, readSecretFile } from '../files/encrypted-file.js';
import { ProblemException } from '../http-errors/problem-exception.js';
import { FileWatcher } from '../files/file-watcher.js';
import type { Logger } from '../logging/logger.js';

const BEARER = /^Bearer +(\S.*)$/i;

export interface ManagementAccessSettings {
  readonly MANAGEMENT_TOKEN_FILE?: string;
  readonly TLS_RELOAD_INTERVAL_MS: number;
}

/** Decides which requests see the metrics and the details of the state. Without MANAGEMENT_TOKEN_FILE all do. */
export class ManagementAccess implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly watcher: FileWatcher | undefined;

  private constructor(
    private digest: Buffer | undefined,
    { MANAGEMENT_TOKEN_FILE: path, TLS_RELOAD_INTERVAL_MS: intervalMs }: ManagementAccessSettings,
    log: Logger,
  ) {
    if (path === undefined) return;
    this.watcher = new FileWatcher({
      paths: [path],
      intervalMs,
      apply: ([content]) => {
        this.digest = sha256(parseSecret(path, String(content)));
      },
      onApplied: () => log.info('management token reloaded'),
      onRefused: (error) => log.error({ err: error }, 'management token reload failed'),
    });
  }

  /** @throws SecretFileError when the token file is missing or too short */
  static async open(settings: ManagementAccessSettings, log: Logger): Promise<ManagementAccess> {
    const { MANAGEMENT_TOKEN_FILE: path } = settings;
    const digest = path === undefined ? undefined : sha256(await readSecretFile(path));
    return new ManagementAccess(digest, settings, log);
  }

  /** @param authorization the header of the request. The comparison takes the same time for every token. */
  isAllowed(authorization: string | undefined): boolean {
    if (this.digest === undefined) return true;
    const token = BEARER.exec(authorization ?? '')?.[1];
    return token !== undefined && timingSafeEqual(sha256(Buffer.from(token.trim())), this.digest);
  }

  /** @throws ProblemException 401 with the challenge of RFC 6750 §3 */
  require(authorization: string | undefined, reply: { header(name: string, value: string): unknown }): void {
    if (this.isAllowed(authorization)) return;
    void reply.header('www-authenticate', 'Bearer');
    throw new ProblemException(
      401,
      'Unauthorized',
      'This address requires the token of MANAGEMENT_TOKEN_FILE as "Authorization: Bearer".',
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.watcher?.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.watcher?.stop();
  }
}

function sha256(content: Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}
