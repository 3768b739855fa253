import type { LoadAnswer, OperatorClient } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import { afterFailure } from '../domain/retry.js';
import { pause } from './pause.js';

export interface Publishing {
  kind: 'timeline' | 'margin' | 'statement' | 'invoice';
  subject: string;
  /** Further fields of the log line. */
  note?: Record<string, string>;
  load: (door: OperatorClient) => Promise<LoadAnswer>;
}

/** Loads records through the operator's door until each is in; says so in the log. */
export class Publisher {
  constructor(
    private readonly door: OperatorClient,
    private readonly log: Logger,
  ) {}

  /** Resolves once the record is in. @throws the abort reason, or the error of a record that can never be loaded */
  async publish({ kind, subject, note, load }: Publishing, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      const publishedAt = new Date().toISOString();
      try {
        const { loaded } = await load(this.door);
        this.log.info(
          { step: 'published', kind, subject, publishedAt, loaded, ...note },
          `published ${kind} ${subject}`,
        );
        return;
      } catch (error) {
        const next = afterFailure(error, attempt);
        switch (next.do) {
          case 'give-up':
            throw error;
          case 'go-on':
            this.log.warn({ kind, subject, err: error }, 'published before with another content; going on');
            return;
          case 'again':
            this.log.warn(
              { kind, subject, attempt, reason: String(error) },
              'not published yet; trying again',
            );
            await pause(next.pauseMs, signal);
        }
      }
    }
  }
}
