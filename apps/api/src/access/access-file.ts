import { readFile } from 'node:fs/promises';
import { accessFileSchema, findAccessToken, type AccessFileContent } from '@ssb/keys';
import type { Logger } from '@ssb/platform';
import type { FastifyRequest } from 'fastify';
import { parse } from 'yaml';
import type { Settings } from '../settings.js';
import type { Caller } from './caller.js';

const BEARER = /^Bearer +(\S+)$/i;

/** Who may use the API, from API_ACCESS_FILE. */
export class AccessFile {
  private constructor(private readonly access: AccessFileContent) {}

  static async open({ API_ACCESS_FILE }: Settings, _log: Logger): Promise<AccessFile> {
    return new AccessFile(accessFileSchema.parse(parse(await readFile(API_ACCESS_FILE, 'utf8')) ?? {}));
  }

  /** Undefined without valid credentials. */
  async identify(request: FastifyRequest): Promise<Caller | undefined> {
    const [, text] = BEARER.exec(request.headers.authorization ?? '') ?? [];
    if (text === undefined) return undefined;
    const token = await findAccessToken(this.access.tokens, text, Date.now());
    return token && { ...token, expiresAt: Date.parse(token.expiresAt) };
  }
}
