import type { TrustedSenders } from '@ssb/events';
import type { OperatorConfig } from './schema.js';

/** The trusted senders of a channel; empty when the file does not name the channel. */
export function findTrustedSenders(config: OperatorConfig, channel: string): TrustedSenders {
  return toTrustedSenders(
    config,
    config.senders.filter((entry) => entry.channel === channel),
  );
}

/** The trusted senders of all channels. */
export function listTrustedSenders(config: OperatorConfig): TrustedSenders {
  return toTrustedSenders(config, config.senders);
}

function toTrustedSenders(
  config: OperatorConfig,
  entries: readonly OperatorConfig['senders'][number][],
): TrustedSenders {
  return {
    gateways: entries.flatMap(({ gateways }) => gateways),
    origins: entries.flatMap((entry) => {
      const participants = listParticipants(config, entry);
      return entry.origins.map((did) => ({ did, participants }));
    }),
  };
}

/** The participants about which the origins of an entry may announce facts. */
export function listParticipants(
  config: OperatorConfig,
  { participants }: Pick<OperatorConfig['senders'][number], 'participants'>,
): readonly string[] {
  return participants ?? config.participants.map(({ code }) => code);
}
