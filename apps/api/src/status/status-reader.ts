import { Inject, Injectable } from '@nestjs/common';
import { withTimeout } from '@ssb/net';
import { LOGGER, type Logger } from '@ssb/platform';
import { STATUS_TIMEOUT_MS } from '../hops/management-client.js';
import { ArchiveStatusReader } from './archive-status.js';
import type { ArchiveStatus } from './archive-status-dto.js';
import { findWrong, summarise } from './find-wrong.js';
import { HopStatusReader } from './hop-status.js';
import type { Status } from './status-dto.js';

/** Callers within this time get the same status, so that many of them are no load for the apps. */
const MAX_AGE_MS = 1_000;
const MAX_FINDINGS = 20;

/** Reads the state of the whole bridge from its apps and the database. */
@Injectable()
export class StatusReader {
  private latest: { readonly status: Promise<Status>; readonly at: number } | undefined;

  constructor(
    private readonly hops: HopStatusReader,
    private readonly archive: ArchiveStatusReader,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async read(): Promise<Status> {
    const { latest } = this;
    if (latest !== undefined && performance.now() - latest.at < MAX_AGE_MS) return latest.status;
    const status = this.readAll();
    this.latest = { status, at: performance.now() };
    return status;
  }

  private async readAll(): Promise<Status> {
    const [hops, archive] = await Promise.all([this.hops.read(), this.readArchive()]);
    const found = { ...hops, archive };
    const wrong = findWrong(found);
    return {
      at: new Date(),
      ...summarise(wrong),
      findings: wrong.slice(0, MAX_FINDINGS).map(({ text }) => text),
      ...found,
      ...(archive === undefined && { databaseDetail: 'The database does not respond.' }),
    };
  }

  private async readArchive(): Promise<ArchiveStatus | undefined> {
    try {
      return await withTimeout(this.archive.read(), STATUS_TIMEOUT_MS);
    } catch (err) {
      this.log.warn({ err }, 'status of the database not read');
      return undefined;
    }
  }
}
