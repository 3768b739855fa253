import type { Channel, GatewayClient } from '@ssb/bus';
import type { Logger } from '@ssb/platform';
import type { ReportGap } from '../reader/report-gap.js';
import { mayHaveLost, type Watermark } from './domain/watermark.js';

export interface RetentionCheckOptions {
  readonly channel: string;
  readonly client: Pick<GatewayClient, 'channels'>;
  readonly reportGap: ReportGap;
  readonly log: Logger;
}

/** A watermark that is newer needs no look at the retention of its channel. */
const MIN_AGE_MS = 2 * 60_000;

/** Reports a loss that can be seen from the times alone: the bus keeps messages for less than the watermark was old. */
export class RetentionCheck {
  /** Until the channels could be listed. */
  private planned: { readonly completeUntil: Date; readonly now: Date } | undefined;
  /** `completeUntil` of the watermark for which a loss was reported. */
  private reported: number | undefined;

  constructor(private readonly options: RetentionCheckOptions) {}

  /** @param watermark before the catch-up */
  plan(watermark: Watermark | undefined, now: Date): void {
    const { completeUntil } = watermark ?? {};
    if (completeUntil === undefined || completeUntil.getTime() === this.reported) return;
    if (now.getTime() - completeUntil.getTime() >= MIN_AGE_MS) this.planned ??= { completeUntil, now };
  }

  async run(): Promise<void> {
    const { planned, options } = this;
    if (planned === undefined) return;
    const channels = await this.listChannels();
    if (channels === undefined) return;
    this.planned = undefined;
    const { completeUntil, now } = planned;
    const { channel } = options;
    const found = channels.find(({ fqcn }) => fqcn === channel);
    if (!mayHaveLost(completeUntil, found?.maxMsgAge, now)) return;
    this.reported = completeUntil.getTime();
    const from = completeUntil.toISOString();
    const detail = `The channel was last read at ${from}, and the bus keeps its messages for a shorter time.`;
    options.reportGap({ channel, fields: { from, until: now.toISOString() }, detail });
  }

  /** Undefined when the gateway does not return the list. Messages can be read without it. */
  private async listChannels(): Promise<Channel[] | undefined> {
    const { channel, client, log } = this.options;
    try {
      return await client.channels();
    } catch (err) {
      log.info({ channel, err }, 'retention not checked');
      return undefined;
    }
  }
}
