import type { GatewayStreamOptions, Message } from '@ssb/bus';
import type { Logger } from '@ssb/platform';
import type { MessageReceiver } from '../receive.js';
import type { Settings } from '../settings.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import type { ReportGap } from './report-gap.js';

/** What both streams need. */
export interface StreamOptions {
  readonly settings: Settings;
  /** Address, user and certificates of the gateway. */
  readonly connection: Pick<
    GatewayStreamOptions,
    'url' | 'username' | 'password' | 'protocol' | 'connection'
  >;
  readonly receiver: MessageReceiver;
  /** Called when the database refuses a write because another replica reads the channels. */
  readonly onLeaseLost: () => void;
  /** Called when a connection to the gateway began or ended. */
  readonly onConnection: (connected: boolean) => void;
  /** Called with each batch as it arrives. */
  readonly onMessages: (batch: readonly Message[]) => void;
  readonly reportGap: ReportGap;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
}
